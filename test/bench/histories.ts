/** Markets with a past of a million events, made by the real commands and kept for later runs. */
import { randomUUID } from 'node:crypto';
import { jobDecider } from '../../commands/job/job.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { exampleEncrypted } from '../../events/private-text.ts';
import { idFrom } from '../../events/ids.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import type { Market } from '../../src/composition/app.ts';
import { draftJob, type SpentEvent } from '../../src/operations/jobs/draft-job.ts';
import type { CommandCall } from '../../src/commanding/command-call.ts';
import type { CommandRunner } from '../../src/commanding/command-runner.ts';
import type { BenchRun } from './bench.ts';
import { inMarket, keptFolder, newBuyers } from './market.ts';
import { AGENT, PRICE_CENTS } from './spends.ts';
import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';

const YEARS_MS = 10 * 365 * 86_400_000;
const TOGETHER = 1_000;
const REACTIONS_PAST = [
  'when-mandate-spent-create-trial',
  'when-job-ended-release-spend',
  'when-payment-not-needed-return-it',
];

export interface History {
  readonly dataDir: string;
  /** The key whose mandate has the past. */
  readonly key: string;
  readonly mandateId: string;
}

/** One mandate with `spends` spends, spread evenly over ten years up to now. */
export function longMandate(run: BenchRun, spends: number): Promise<History> {
  return history(run, `long-mandate-${spends}`, async ({ services }, mandateId, keyId) => {
    const beganMs = Date.now() - YEARS_MS;
    await inTurn(spends, async (index) => {
      const at = new Date(beganMs + Math.round((YEARS_MS * index) / spends)).toISOString();
      await spendOnce(services.commands, mandateId, keyId, at);
    });
  });
}

/** Trials that were paid, done and completed, on 200 mandates: `events` events, five of each trial. */
export function mixedMarket(run: BenchRun, events: number): Promise<History> {
  return history(run, `mixed-${events}`, async (market, mandateId, keyId) => {
    const buyers = await newBuyers(market, 200);
    const mandates = [mandateId, ...buyers.map((buyer) => buyer.mandateId)];
    const { commands } = market.services;
    await inTurn(Math.ceil(events / 5), async (index) => {
      const at = new Date().toISOString();
      const spent = await spendOnce(commands, mandates[index % mandates.length] ?? mandateId, keyId, at);
      await draftJob({ commands }, spent, 'key:bench', { beginsStream: true });
      const { jobId } = spent.data.order;
      const reference = { provider: 'test', reference: randomUUID() } as const;
      const payment = { ...reference, amountCents: PRICE_CENTS };
      await commands.run(
        jobDecider,
        jobId,
        { type: 'ReceivePayment', ofOwnAccount: false, payment },
        callAt(at),
      );
      await commands.run(jobDecider, jobId, { type: 'StartJob' }, callAt(at));
      await commands.run(jobDecider, jobId, { type: 'CompleteJob' }, callAt(at));
    });
  });
}

async function history(
  run: BenchRun,
  name: string,
  make: (market: Market, mandateId: string, keyId: string) => Promise<void>,
): Promise<History> {
  const dataDir = await keptFolder(run, name, async (folder) => {
    const buyer = await inMarket(folder, async (market) => {
      await market.seed();
      // Within a stream time never runs backwards: what is to have a past must have begun before it.
      const [made] = await newBuyers(market, 1, {
        at: new Date(Date.now() - YEARS_MS - 60_000).toISOString(),
      });
      if (made === undefined) throw new Error('no buyer was made');
      await make(market, made.mandateId, made.keyId);
      await market.catchUp();
      return made;
    });
    await reactedToAll(folder);
    await writeFile(join(folder, 'bench-buyer.json'), JSON.stringify(buyer));
  });
  // Written above, by this program.
  const { key, mandateId } = JSON.parse(await readFile(join(dataDir, 'bench-buyer.json'), 'utf8')) as History;
  return { dataDir, key, mandateId };
}

/** The reactions of a server that had run all the while would have seen everything. */
async function reactedToAll(folder: string): Promise<void> {
  const { store, checkpoints, close } = await openSqliteLog({ path: join(folder, 'bourse.db') });
  const head = await store.head();
  if (head !== null) for (const name of REACTIONS_PAST) await checkpoints.set(name, head);
  await close();
}

async function spendOnce(
  commands: CommandRunner,
  mandateId: string,
  keyId: string,
  at: string,
): Promise<SpentEvent> {
  const call = callAt(at);
  const order = {
    jobId: idFrom('job', at, call.commandId),
    agent: AGENT,
    agency: 'ledgerworks',
    expectedRecords: 40,
    hasNotifyUrl: false,
    text: exampleEncrypted,
  };
  const spendId = idFrom('spend', at, call.commandId);
  const outcome = await commands.run(
    mandateDecider,
    mandateId,
    { type: 'SpendAgainstMandate', spendId, keyId, action: 'trial:create', amountCents: PRICE_CENTS, order },
    call,
  );
  if (outcome.kind !== 'accepted') throw new Error(`a spend was ${outcome.kind}`);
  const spent = outcome.events.find((event): event is SpentEvent => event.type === 'MandateSpent');
  if (spent === undefined) throw new Error('a spend without its event');
  return spent;
}

function callAt(at: string): CommandCall {
  return { at, actor: 'cli', requestId: 'bench', commandId: randomUUID() };
}

/** Starts them in order, so many at a time. */
async function inTurn(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += TOGETHER) {
    const indexes = Array.from({ length: Math.min(TOGETHER, count - from) }, (_, i) => from + i);
    await Promise.all(indexes.map(work));
  }
}
