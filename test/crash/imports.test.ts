/**
 * Imports that are killed at random moments. What a small one changes is there whole or not at all; a large one is
 * finished by the next import. A few rounds by default; BOURSE_CRASH_ROUNDS asks for more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { dataSets } from '../../projections/data-sets.ts';
import { openMarket } from '../../src/composition/app.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import { createLog } from '../../src/logging/log.ts';
import { readView } from '../../src/operations/read-view.ts';
import { readConfig } from '../../src/settings/config.ts';
import { endChild, endWithUs } from '../support/child-processes.ts';
import { readAll } from '../support/event-log.ts';
import { inMarket } from '../support/own-market.ts';
import type { Settings } from '../support/served-market.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const ROUNDS = Number(process.env.BOURSE_CRASH_ROUNDS ?? 4);
const LARGE_ROWS = 8_000;
const SMALL_ROWS = 200;
const SILENT = createLog('silent');
const main = fileURLToPath(new URL('./import.main.ts', import.meta.url));

const rowsOf = (count: number, round: number): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ name: `row ${n}`, url: `https://row-${n}.example/`, round, text: 'x'.repeat(200) }),
  ).join('\n');

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
        killed += await importAndKill(file, settings, round === 0 ? 0 : Math.random() * longestMs);
        const digests = await digestsOf(settings);
        if (size === 'small') expect(digests.size).to.be.oneOf([0, count]);
        if (size === 'small') expect(digests.rounds).to.be.below(2);
      }
      expect(killed).to.be.above(0);
      if (size === 'large') {
        // Certainly half: begun, and one of its appends is missing.
        const file = folder.file('half.jsonl');
        await writeFile(file, rowsOf(count, ROUNDS + 1));
        await importHalf(file, settings);
        const { size: rows, rounds, underWay } = await digestsOf(settings);
        expect(underWay).to.be.a('string');
        expect(rounds === 1 && rows === count, 'it is whole').to.equal(false);
      }

      const last = folder.file('last.jsonl');
      await writeFile(last, rowsOf(count, ROUNDS));
      expect(await importWhole(last, settings)).to.equal(0);
      const digests = await digestsOf(settings);
      expect([digests.size, digests.rounds, digests.underWay]).to.deep.equal([count, 1, null]);
      await inMarket(settings, async ({ services }) => {
        await services.projector.caughtUp();
        const shown = await readView(services.views, dataSets, 'tools');
        expect(shown).to.deep.include({ listed: count, retired: 0 });
      });
      await folder.remove();
    });
  }
});

function startImport(file: string, settings: Settings, ...haltsBefore: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', main, file, ...haltsBefore], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  return child;
}

/** Kills it some milliseconds after its market is open. @returns 1 if it was still at it */
async function importAndKill(file: string, settings: Settings, afterMs: number): Promise<number> {
  const child = startImport(file, settings);
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  await Promise.race([delay(afterMs), ended]);
  const isRunning = child.exitCode === null;
  child.kill('SIGKILL');
  await ended;
  return isRunning ? 1 : 0;
}

/** Kills it when it has begun and added the first of its appends, and before the next. */
async function importHalf(file: string, settings: Settings): Promise<void> {
  const child = startImport(file, settings, '2');
  try {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until('half of it is there', () => output.includes('half'), 60_000);
  } finally {
    await endChild(child, 'SIGKILL');
  }
}

async function importWhole(file: string, settings: Settings): Promise<number | null> {
  const child = startImport(file, settings);
  child.stdout.resume();
  await once(child, 'exit');
  return child.exitCode;
}

/** How many rows the log has, and of how many rounds they are; nothing is finished by looking. */
async function digestsOf(settings: Settings) {
  const { services, close } = await openMarket(readConfig(settings), SILENT);
  try {
    const { rows, underWay } = await readKnownRows(services.events, 'tools');
    const latest = new Map<string, unknown>();
    for (const { data } of await readAll(services.events, 'dataset-tools')) {
      if (!('rows' in data) || !Array.isArray(data.rows)) continue;
      for (const row of data.rows) latest.set(row.id, row.fields.round);
    }
    return { size: rows.size, rounds: new Set(latest.values()).size, underWay };
  } finally {
    await close();
  }
}
