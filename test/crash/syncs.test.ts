/**
 * Syncs of the models that are killed at random moments. Models are those of one answer of the router or of the one
 * before, and what was begun of a large answer the next sync finishes. A few rounds by default; BOURSE_CRASH_ROUNDS
 * asks for more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
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
import { listenAnywhere } from '../support/ports.ts';
import type { Settings } from '../support/served-market.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const ROUNDS = Number(process.env['BOURSE_CRASH_ROUNDS'] ?? 4);
/** One answer fits into one append of the log, the other does not. */
const SIZES = [
  ['small', 150, 150],
  ['large', 6_000, 700],
] as const;
const main = fileURLToPath(new URL('./sync.main.ts', import.meta.url));

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
        killed += await syncAndKill(url, settings, round === 0 ? 0 : Math.random() * longestMs);
        const { size: rows, rounds } = await modelsOf(settings);
        if (size === 'small')
          expect([rows, rounds.size]).to.be.deep.oneOf([
            [0, 0],
            [count, 1],
          ]);
      }
      expect(killed).to.be.above(0);
      if (size === 'large') {
        // Certainly half: begun, and what was staged is missing.
        await syncHalf(url, settings);
        expect((await modelsOf(settings)).underWay).to.be.a('string');
        round += 1;
      }
      expect(await syncWhole(url, settings)).to.equal(0);
      const { size: rows, rounds, underWay } = await modelsOf(settings);
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

function startSync(url: string, settings: Settings, ...halts: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', main, url, ...halts], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  return child;
}

/** Kills it some milliseconds after its market is open. @returns 1 if it was still at it */
async function syncAndKill(url: string, settings: Settings, afterMs: number): Promise<number> {
  const child = startSync(url, settings);
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  await Promise.race([delay(afterMs), ended]);
  const isRunning = child.exitCode === null;
  child.kill('SIGKILL');
  await ended;
  return isRunning ? 1 : 0;
}

/** Kills it when it has begun, and before it adds what it has staged. */
async function syncHalf(url: string, settings: Settings): Promise<void> {
  const child = startSync(url, settings, 'half');
  try {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until('half of it is there', () => output.includes('half'), 60_000);
  } finally {
    await endChild(child, 'SIGKILL');
  }
}

async function syncWhole(url: string, settings: Settings): Promise<number | null> {
  const child = startSync(url, settings);
  child.stdout.resume();
  await once(child, 'exit');
  return child.exitCode;
}

/** How many models the log has, and of which rounds they are; nothing is finished by looking. */
async function modelsOf(settings: Settings) {
  const { services, close } = await openMarket(readConfig(settings), createLog('silent'));
  try {
    const { rows, underWay } = await readKnownRows(services.events, 'models');
    const latest = new Map<string, unknown>();
    for (const { data } of await readAll(services.events, 'dataset-models')) {
      if (!('rows' in data) || !Array.isArray(data.rows)) continue;
      for (const row of data.rows) latest.set(row.id, row.fields.round);
    }
    return { size: rows.size, rounds: new Set(latest.values()), underWay };
  } finally {
    await close();
  }
}
