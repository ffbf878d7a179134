/**
 * The real server, killed at random moments while it spends, cancels, starts and recovers. A few rounds by default;
 * BOURSE_CRASH_ROUNDS asks for more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Market, openMarket } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import { publishExamples } from '../support/memory-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { terms } from '../support/sample-mandate.ts';
import { ledgerIsTrue, reactionsAreDone, viewsEqualReplay } from './aftermath.ts';
import { acknowledged, type Buyer, buyUntilGone, look, settle } from './buyer.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';

const ROUNDS = Number(process.env.BOURSE_CRASH_ROUNDS ?? 25);
const BUYERS_AT_ONCE = 6;
const DEADLINE_MS = 60_000 + ROUNDS * 20_000;

describe(`A server that is killed ${ROUNDS} times`, () => {
  let folder: TempFolder;
  let program: Program;
  let life: Life | undefined;
  before(async function () {
    this.timeout(DEADLINE_MS);
    folder = await tempFolder();
    program = await buildProgram();
  });
  after(async () => {
    await life?.kill();
    await program.remove();
    await folder.remove();
  });

  it('has every acknowledged spend once and with its job, keeps the cap, and shows what its log says', async function () {
    this.timeout(DEADLINE_MS);
    const buyers = await openedMarket(folder.path, (market) => prepare(market));
    let previous: Buyer | undefined;
    for (const buyer of buyers) {
      if (Math.random() < 0.3) await killWhileStarting(program.start({ DATA_DIR: folder.path }));
      life = program.start({ DATA_DIR: folder.path });
      const url = await life.url;
      const buying = Array.from({ length: BUYERS_AT_ONCE }, () => buyUntilGone(url, buyer));
      if (previous !== undefined) await settle(url, previous);
      if (previous !== undefined) await look(url, previous);
      await killWhileBuying(life, buyer, Promise.all(buying));
      previous = buyer;
    }

    life = program.start({ DATA_DIR: folder.path });
    const url = await life.url;
    if (previous !== undefined) await settle(url, previous);
    if (previous !== undefined) await look(url, previous);
    expect(await life.stop()).to.equal(0);

    expect(buyers.reduce((sum, buyer) => sum + acknowledged(buyer), 0)).to.be.above(ROUNDS);
    await openedMarket(folder.path, async (market) => {
      await market.start();
      await reactionsAreDone(market.services.events);
      await ledgerIsTrue(market.services.events, buyers);
      await viewsEqualReplay(market);
    });
  });
});

async function openedMarket<Result>(
  dataDir: string,
  work: (market: Market) => Promise<Result>,
): Promise<Result> {
  const market = await openMarket(readConfig({ DATA_DIR: dataDir }), createLog('warn'));
  try {
    return await work(market);
  } finally {
    await market.close();
  }
}

/** A listed agent, and for each round a buyer with a mandate of their own that some forty spends exhaust. */
async function prepare(market: Market): Promise<readonly Buyer[]> {
  await market.start();
  await publishExamples(market.services);
  const buyers: Buyer[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcome = await createKey(
      market.services,
      {
        account: `buyer-${round}`,
        name: 'Buyer',
        scopes: ['trials:create', 'jobs:read', 'jobs:cancel'],
        agency: null,
        terms: terms({ maxMonthlyCents: 80_000 }),
      },
      { at: new Date().toISOString(), actor: 'cli', requestId: 'crash-test' },
    );
    if (!outcome.ok) throw new Error(outcome.refusal.message);
    const { key, mandateId } = outcome.created;
    buyers.push({ isCareful: round % 2 === 0, apiKey: key, mandateId, wishes: [] });
  }
  await market.services.projector.caughtUp();
  return buyers;
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
