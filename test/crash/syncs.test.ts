/**
 * Syncs of the models that are killed at random moments. Models are those of one answer of the router or of the one
 * before, and what was begun of a large answer the next sync finishes. A few rounds by default; BOURSE_CRASH_ROUNDS
 * asks for more.
 */
import { createServer } from 'node:http';
import { expect } from 'chai';
import { dataSets } from '../../projections/data-sets.ts';
import { readView } from '../../src/operations/read-view.ts';
import { inMarket } from '../support/own-market.ts';
import { listenAnywhere } from '../support/ports.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { importProgram, roundsIn } from './killed-imports.ts';

const ROUNDS = Number(process.env['BOURSE_CRASH_ROUNDS'] ?? 4);
/** One answer fits into one append of the log, the other does not. */
const SIZES = [
  ['small', 150, 150],
  ['large', 6_000, 700],
] as const;
const sync = importProgram('./sync.main.ts');

describe(`Syncs of the models that are killed ${ROUNDS} times`, () => {
  for (const [size, count, longestMs] of SIZES)
    it(`leave nothing half of a ${size} answer that the next does not finish`, async function () {
      this.timeout(240_000 + ROUNDS * 60_000);
      const folder = await tempFolder();
      const settings = { DATA_DIR: folder.file('data') };
      let round = 0;
      const router = createServer((_req, res) => {
        const data = Array.from({ length: count }, (_, n) => ({
          id: `acme/Lens-${n}:free`,
          name: `Lens ${n}`,
          round,
          description: 'x'.repeat(200),
        }));
        res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
      });
      const url = `http://127.0.0.1:${await listenAnywhere(router)}/api/v1/models`;
      let killed = 0;
      for (; round < ROUNDS; round += 1) {
        // The first while it begins; others may be over before.
        killed += await sync.runAndKill(url, settings, round === 0 ? 0 : Math.random() * longestMs);
        const { size: rows, rounds } = await roundsIn(settings, 'models');
        if (size === 'small')
          expect([rows, rounds.size]).to.be.deep.oneOf([
            [0, 0],
            [count, 1],
          ]);
      }
      expect(killed).to.be.above(0);
      if (size === 'large') {
        // Certainly half: begun, and what was staged is missing.
        await sync.runHalf(url, settings, 'half');
        expect((await roundsIn(settings, 'models')).underWay).to.be.a('string');
        round += 1;
      }
      expect(await sync.runWhole(url, settings)).to.equal(0);
      const { size: rows, rounds, underWay } = await roundsIn(settings, 'models');
      expect([rows, [...rounds], underWay]).to.deep.equal([count, [round], null]);
      await inMarket(settings, async ({ services }) => {
        await services.projector.caughtUp();
        const shown = await readView(services.views, dataSets, 'models');
        expect(shown).to.deep.include({ listed: count, retired: 0 });
        expect(shown?.sync.state).to.equal('ok');
      });
      router.close();
      router.closeAllConnections();
      await folder.remove();
    });
});
