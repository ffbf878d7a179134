/**
 * Imports that are killed at random moments. What a small one changes is there whole or not at all; a large one is
 * finished by the next import. A few rounds by default; BOURSE_CRASH_ROUNDS asks for more.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openSqliteQueue } from '../../infra/sqlite/queue.ts';
import { dataSets } from '../../projections/data-sets.ts';
import { REMOVE_UNNAMED_BLOB } from '../../src/background/unnamed-blobs.ts';
import { readView } from '../../src/operations/read-view.ts';
import { removeUnnamedBlob } from '../../src/tasks/remove-unnamed-blob.ts';
import { inMarket } from '../support/own-market.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { importProgram, roundsIn } from './killed-imports.ts';

const ROUNDS = Number(process.env.BOURSE_CRASH_ROUNDS ?? 4);
const LARGE_ROWS = 8_000;
const SMALL_ROWS = 200;
const imports = importProgram('./import.main.ts');

const rowsOf = (count: number, round: number): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ name: `row ${n}`, url: `https://row-${n}.example/`, round, text: 'x'.repeat(200) }),
  ).join('\n');

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('An import that is killed before it begins', () => {
  it('leaves what it staged for a day, and then nothing', async () => {
    const folder = await tempFolder();
    const settings = { DATA_DIR: folder.file('data') };
    const file = folder.file('rows.jsonl');
    await writeFile(file, rowsOf(LARGE_ROWS, 0));
    await imports.runHalf(file, settings, '0');
    const staged = async () =>
      (await readdir(folder.file('data/artifacts'), { recursive: true })).filter((name) =>
        /imp_\w+$/.test(name),
      );
    expect(await staged()).to.have.length(1);
    await inMarket(settings, async ({ services }) => {
      const kind = removeUnnamedBlob(services);
      const signal = new AbortController().signal;
      for (const [afterMs, left] of [
        [DAY_MS - 10 * 60_000, 1],
        [DAY_MS + 60_000, 0],
      ] as const) {
        const nowMs = Date.now() + afterMs;
        // The same file by another clock.
        const { queue } = openSqliteQueue(folder.file('data/queue.db'), { now: () => nowMs });
        for (const task of await queue.claim(REMOVE_UNNAMED_BLOB, 10, 60_000)) {
          await kind.run(task, { nowMs, retryAtMs: () => nowMs, signal });
          await queue.finish(task);
        }
        await queue.close();
        expect(await staged()).to.have.length(left);
      }
    });
    await folder.remove();
  }).timeout(240_000);
});

describe(`Imports that are killed ${ROUNDS} times`, () => {
  for (const [size, count, longestMs] of [
    ['small', SMALL_ROWS, 100],
    ['large', LARGE_ROWS, 600],
  ] as const) {
    it(`leave nothing half of a ${size} one that the next does not finish`, async function () {
      this.timeout(240_000 + ROUNDS * 60_000);
      const folder = await tempFolder();
      const settings = { DATA_DIR: folder.file('data') };
      let killed = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const file = folder.file(`round-${round}.jsonl`);
        await writeFile(file, rowsOf(count, round));
        // The first while it reads; the others may be over before.
        killed += await imports.runAndKill(file, settings, round === 0 ? 0 : Math.random() * longestMs);
        const digests = await roundsIn(settings, 'tools');
        if (size === 'small') expect(digests.size).to.be.oneOf([0, count]);
        if (size === 'small') expect(digests.rounds.size).to.be.below(2);
      }
      expect(killed).to.be.above(0);
      if (size === 'large') {
        // Certainly half: begun, and one of its appends is missing.
        const file = folder.file('half.jsonl');
        await writeFile(file, rowsOf(count, ROUNDS + 1));
        await imports.runHalf(file, settings, '2');
        const { size: rows, rounds, underWay } = await roundsIn(settings, 'tools');
        expect(underWay).to.be.a('string');
        expect(rounds.size === 1 && rows === count, 'it is whole').to.equal(false);
      }

      const last = folder.file('last.jsonl');
      await writeFile(last, rowsOf(count, ROUNDS));
      expect(await imports.runWhole(last, settings)).to.equal(0);
      const digests = await roundsIn(settings, 'tools');
      expect([digests.size, digests.rounds.size, digests.underWay]).to.deep.equal([count, 1, null]);
      await inMarket(settings, async ({ services }) => {
        await services.projector.caughtUp();
        const shown = await readView(services.views, dataSets, 'tools');
        expect(shown).to.deep.include({ listed: count, retired: 0 });
      });
      await folder.remove();
    });
  }
});
