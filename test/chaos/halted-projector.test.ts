/**
 * A projector that is halted in the midst of its work, as a machine that is short of memory is, loses its lease and
 * does not know of it. When it goes on, another has written on: nothing that it had begun may come after that.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { viewsEqualReplay } from '../crash/aftermath.ts';
import { newBuyer } from '../crash/buyer.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { until } from '../support/until.ts';
import { type Load, startLoad } from './load.ts';

/** Longer than it takes to replace a projector that is not heard of, on a busy machine. */
const REPLACED_MS = 120_000;
const TOGETHER_MS = 5_000;

for (const engines of engineSets.filter(({ isShared }) => isShared)) {
  withEngines(`A projector on ${engines.name} that is halted under writes`, engines, (startEngines) => {
    let running: RunningEngines;
    let program: Program;
    let lives: readonly Life[] = [];
    let load: Load | undefined;

    before(async function () {
      this.timeout(240_000);
      running = await startEngines();
      program = await buildProgram();
    });
    after(async () => {
      load?.giveUp();
      await Promise.all(lives.map((life) => life.kill()));
      await program.remove();
      await running.close();
    });

    it('writes nothing over what another has written meanwhile', async function () {
      this.timeout(480_000);
      const keys = await inMarket(running.settings, (market) =>
        prepareBuyers(market, [10_000_000, 10_000_000]),
      );
      const start = (ROLE: string): Life =>
        program.start({ ...running.settings, ROLE, PUBLIC_RATE_LIMIT: '1000000' });
      const [api, ...projectors] = (lives = ['api', 'projector', 'projector'].map(start));
      const urls = await Promise.all(lives.map(({ url }) => url));
      load = startLoad(
        () => urls.slice(0, 1),
        keys.map((key) => newBuyer(key, true)),
      );
      await delay(1_000);

      const working = await indexOfWorking(urls.slice(1));
      projectors[working]?.halt();
      const [other = ''] = urls.slice(1).filter((_, i) => i !== working);
      await until('the other one works', async () => (await stateAt(other)) === 'working', REPLACED_MS);
      await delay(TOGETHER_MS);
      projectors[working]?.goOn();
      await delay(1_000);
      await load.stop();

      for (const life of [api!, ...projectors]) expect(await life.stop()).to.equal(0);
      await inMarket(running.settings, viewsEqualReplay);
    });
  });
}

async function indexOfWorking(urls: readonly string[]): Promise<number> {
  let working = -1;
  await until('one of them projects', async () => {
    working = (await Promise.all(urls.map(stateAt))).indexOf('working');
    return working >= 0;
  });
  return working;
}

async function stateAt(url: string): Promise<string | undefined> {
  const { data } = JSON.parse(await (await fetch(`${url}/readyz`)).text());
  return data.duties[0]?.state;
}
