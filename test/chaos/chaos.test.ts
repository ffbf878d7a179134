/**
 * Every part of a market in several processes is killed under load and started again: the servers that it shares, the
 * projector, the worker and an api. What the api could not answer meanwhile, and for how long, is printed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Role } from '../../src/settings/roles.ts';
import { ledgerIsTrue, reactionsAreDone, viewsEqualReplay } from '../crash/aftermath.ts';
import { acknowledged, newBuyer } from '../crash/buyer.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { until } from '../support/until.ts';
import { type Load, startLoad } from './load.ts';

const FLEET = ['api', 'api', 'projector', 'projector', 'worker', 'worker'] as const;
const AWAY_MS = 2_000;
const RECOVERY_DEADLINE_MS = 120_000;
/** The first ones come to their cap. */
const CAPS_CENTS = [38_000, 76_000, 10_000_000, 10_000_000] as const;

for (const engines of engineSets.filter(({ isShared }) => isShared)) {
  withEngines(`A fleet on ${engines.name} whose parts are killed under load`, engines, (startEngines) => {
    let running: RunningEngines;
    let program: Program;
    let lives: Life[];
    let load: Load | undefined;

    before(async function () {
      this.timeout(240_000);
      running = await startEngines();
      program = await buildProgram();
      lives = [];
    });
    after(async () => {
      load?.giveUp();
      await Promise.all(lives.map((life) => life.kill()));
      await program.remove();
      await running.close();
    });

    it('loses nothing acknowledged, passes no cap, and has views that say what the log says', async function () {
      this.timeout(900_000);
      const keys = await inMarket(running.settings, (market) => prepareBuyers(market, CAPS_CENTS));
      const buyers = keys.map((key) => newBuyer(key, true));
      const start = (role: Role): Life =>
        program.start({ ...running.settings, ROLE: role, PUBLIC_RATE_LIMIT: '1000000' });
      lives = FLEET.map(start);
      const urls = await Promise.all(lives.map(({ url }) => url));
      const apis = (): readonly string[] =>
        FLEET.flatMap((role, i) => (role === 'api' ? [urls[i] ?? ''] : []));
      await fleetIsWell(urls);

      load = startLoad(apis, buyers);
      await delay(AWAY_MS);
      load.report();
      for (const { name, kill, start: restart } of running.servers) {
        await survives(load, name, urls, kill, restart);
      }
      for (const role of ['projector', 'worker', 'api'] as const) {
        const at = FLEET.indexOf(role);
        await survives(
          load,
          role,
          urls,
          async () => lives[at]?.kill(),
          async () => {
            lives[at] = start(role);
            urls[at] = await lives[at].url;
          },
        );
      }
      await load.until(
        'those with a small cap have used it up, and another has bought more than one of them',
        () => {
          const [first, second, third = 0] = buyers.map(acknowledged);
          return first === 20 && second === 40 && third > 20;
        },
      );
      await load.stop();
      await until('all are ready at one moment', () => areReady(urls), RECOVERY_DEADLINE_MS);
      for (const life of lives) expect(await life.stop()).to.equal(0);

      expect(buyers.map(acknowledged).slice(0, 2), 'those with a small cap').to.deep.equal([20, 40]);
      await inMarket(running.settings, async (market) => {
        await reactionsAreDone(market.services.events);
        await ledgerIsTrue(market.services, buyers);
        await viewsEqualReplay(market);
      });
    });
  });
}

/** Kills it, lets it be away for a while, starts it again, and waits until every process was well again. */
async function survives(
  load: Load,
  what: string,
  urls: readonly string[],
  kill: () => Promise<unknown>,
  start: () => Promise<unknown>,
): Promise<void> {
  const killedAt = Date.now();
  await kill();
  await delay(AWAY_MS);
  await start();
  const awayMs = Date.now() - killedAt;
  await fleetIsWell(urls);
  const wellMs = Date.now() - killedAt;
  await delay(500);
  const { asked, failed, lastFailureMs } = load.report();
  const percent = ((100 * failed) / Math.max(1, asked)).toFixed(1);
  const last = lastFailureMs === null ? 'none' : `the last after ${lastFailureMs} ms`;
  process.stdout.write(
    `      ${what} away for ${awayMs} ms: ${failed} of ${asked} requests failed (${percent} %), ${last}; all well after ${wellMs} ms\n`,
  );
}

/** Each by itself: under load all compete for a busy machine, and need not be ready at one moment. */
async function fleetIsWell(urls: readonly string[]): Promise<void> {
  await Promise.all(urls.map((url) => until(`${url} is ready`, () => isReady(url), RECOVERY_DEADLINE_MS)));
}

async function areReady(urls: readonly string[]): Promise<boolean> {
  return (await Promise.all(urls.map(isReady))).every((ready) => ready);
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => null);
  return response?.status === 200 && (await response.text()).includes('"status":"ready"');
}
