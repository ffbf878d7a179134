/**
 * The real server, killed at random moments while it spends, cancels, starts and recovers. A few rounds by default;
 * BOURSE_CRASH_ROUNDS asks for more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { ledgerIsTrue, reactionsAreDone, viewsEqualReplay } from './aftermath.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { acknowledged, type Buyer, buyUntilGone, look, newBuyer, settle } from './buyer.ts';

const ROUNDS = Number(process.env.BOURSE_CRASH_ROUNDS ?? 25);
const BUYERS_AT_ONCE = 6;
const FORTY_SPENDS_CENTS = 80_000;
/** Where engines are shared, a life begins with waiting for the lease of the one before. */
const SHARED_SHARE = 5;
const DEADLINE_MS = 60_000 + ROUNDS * 20_000;

for (const engines of engineSets) {
  const rounds = engines.isShared ? Math.ceil(ROUNDS / SHARED_SHARE) : ROUNDS;
  withEngines(`A server on ${engines.name} that is killed ${rounds} times`, engines, (start) => {
    let running: RunningEngines;
    let program: Program;
    let life: Life | undefined;
    before(async function () {
      this.timeout(DEADLINE_MS);
      running = await start();
      program = await buildProgram();
    });
    after(async () => {
      await life?.kill();
      await program.remove();
      await running.close();
    });

    it('has every acknowledged spend once and with its job, keeps the cap, and shows what its log says', async function () {
      this.timeout(DEADLINE_MS);
      const { settings } = running;
      const caps = Array.from({ length: rounds }, () => FORTY_SPENDS_CENTS);
      const keys = await inMarket(settings, (market) => prepareBuyers(market, caps));
      const buyers = keys.map((key, round) => newBuyer(key, round % 2 === 0));
      let previous: Buyer | undefined;
      for (const buyer of buyers) {
        if (Math.random() < 0.3) await killWhileStarting(program.start(settings));
        life = program.start(settings);
        const url = await life.url;
        const buying = Array.from({ length: BUYERS_AT_ONCE }, () => buyUntilGone(url, buyer));
        if (previous !== undefined) await settle(url, previous);
        if (previous !== undefined) await look(url, previous);
        await killWhileBuying(life, buyer, Promise.all(buying));
        previous = buyer;
      }

      life = program.start(settings);
      const url = await life.url;
      if (previous !== undefined) await settle(url, previous);
      if (previous !== undefined) await look(url, previous);
      expect(await life.stop()).to.equal(0);

      expect(buyers.reduce((sum, buyer) => sum + acknowledged(buyer), 0)).to.be.above(rounds);
      await inMarket(settings, async (market) => {
        await reactionsAreDone(market.services.events);
        await ledgerIsTrue(market.services, buyers);
        await viewsEqualReplay(market);
      });
    });
  });
}

async function killWhileStarting(life: Life): Promise<void> {
  await delay(Math.random() * 800);
  await life.kill();
}

/** Once some spends are acknowledged, or all that the mandate allows, and a moment later. */
async function killWhileBuying(life: Life, buyer: Buyer, buying: Promise<unknown>): Promise<void> {
  const enough = Math.random() * 40;
  let isOver = false;
  void buying.finally(() => (isOver = true));
  while (acknowledged(buyer) < enough && !isOver) await delay(1);
  await delay(Math.random() * 10);
  await life.kill();
  await buying;
}
