/**
 * The servers of the log are killed, paused, elected and restarted under load, while processes of the market end and
 * start cold: judged by every answer, by the log of the program, the ledger, the views and the places of the reactions.
 * A few rounds by default; BOURSE_LOG_ROUNDS asks for more.
 */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { ledgerIsTrue, reactionsAreDone, viewsEqualReplay } from '../crash/aftermath.ts';
import { acknowledged, type Buyer, newBuyer } from '../crash/buyer.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { type Shop, shopAt } from './log-load.ts';
import { troubledCluster, type TroubledLog, troubledServer } from './log-troubles.ts';

const ROUNDS = Number(process.env.BOURSE_LOG_ROUNDS ?? 4);
const TEN_SPENDS_CENTS = 19_000;
const MANY_CENTS = 1_000_000_000;
const AT_ONCE = 16;
const STEADY = 4;
const READY_DEADLINE_MS = 60_000;
const DEADLINE_MS = 120_000 + ROUNDS * 30_000;
const LOGS = [
  { name: 'the server of its log', start: () => troubledServer('23.10'), share: 0.5 },
  { name: 'the cluster of its log', start: () => troubledCluster('24.2'), share: 0.5 },
] as const;

for (const { name, start, share } of LOGS) {
  const rounds = Math.ceil(ROUNDS * share);
  describe(`A market and ${name}, in trouble ${rounds} times`, function () {
    this.timeout(DEADLINE_MS);
    let log: TroubledLog;
    let folder: TempFolder;
    let program: Program;
    let service: Service;
    before(async () => {
      log = await start();
      folder = await tempFolder();
      program = await buildProgram();
    });
    after(async () => {
      await service?.life().kill();
      await program.remove();
      await folder.remove();
      await log.close();
    });

    it('answers truly or not at all, keeps caps and history, and raises no false alarm', async () => {
      const settings = {
        DATA_DIR: folder.path,
        EVENTSTORE_URL: log.url,
        EVENTSTORE_PREFIX: `rounds${randomUUID().replaceAll('-', '')}.`,
        PUBLIC_RATE_LIMIT: '1000000',
        ACCOUNT_RATE_LIMIT: '1000000',
      };
      const caps = Array.from({ length: rounds }, () => TEN_SPENDS_CENTS);
      const keys = await inMarket(settings, (market) => prepareBuyers(market, [MANY_CENTS, ...caps]));
      const [steady, ...capped] = keys.map((key) => newBuyer(key, true));
      if (steady === undefined) throw new Error('there are as many buyers as caps');
      service = serviceOf(() => program.start(settings));
      await service.startCold();

      const shop = shopAt(service.url);
      let isOver = false;
      const buying = Promise.all(
        Array.from({ length: STEADY }, () => shop.buyAndCancel(steady, () => isOver)),
      );
      // It is looked at in the end.
      buying.catch(() => {});
      for (const [round, buyer] of capped.entries()) await passRound(log, service, shop, buyer, round);
      isOver = true;
      await buying;
      expect(await service.life().stop()).to.equal(0);

      expect(errorsIn(service.printed())).to.deep.equal([]);
      expect(acknowledged(steady)).to.be.above(rounds);
      await inMarket(settings, async (market) => {
        await reactionsAreDone(market.services.events);
        await ledgerIsTrue(market.services, [steady, ...capped]);
        await viewsEqualReplay(market);
      });
      await reactionsNeverWentBack(log.url, settings.EVENTSTORE_PREFIX);
    });
  });
}

/** Trouble under load, in every other round with the market itself killed and started cold meanwhile. */
async function passRound(
  { troubles }: TroubledLog,
  service: Service,
  shop: Shop,
  buyer: Buyer,
  round: number,
): Promise<void> {
  const names = Object.keys(troubles);
  const name = names[round % names.length] ?? '';
  const isCold = Math.floor(round / names.length) % 2 === 1;
  const before = shop.answers();
  const beganMs = performance.now();
  await Promise.all([
    troubles[name]?.(),
    shop.buyToTheCap(buyer, AT_ONCE),
    isCold ? service.startCold() : undefined,
  ]);
  expect(acknowledged(buyer), `a cap of ten while the log is ${name}`).to.equal(10);
  await until('it is ready', () => isReady(service.url()), READY_DEADLINE_MS);
  const { asked, undone, unanswered, slowestMs } = shop.answers();
  const ms = Math.round(performance.now() - beganMs);
  const [all, none, known] = [asked - before.asked, unanswered - before.unanswered, undone - before.undone];
  process.stdout.write(
    `      ${round + 1}: ${name}${isCold ? ', started cold' : ''}: ${none} of ${all} requests not answered, ${known} known as undone, the slowest of all ${Math.round(slowestMs)} ms; well after ${ms} ms\n`,
  );
}

interface Service {
  readonly url: () => string;
  readonly life: () => Life;
  /** Kills the process, if there is one, and starts others until one of them answers. */
  readonly startCold: () => Promise<void>;
  /** By all its processes. */
  readonly printed: () => string;
}

function serviceOf(start: () => Life): Service {
  const lives: Life[] = [];
  let url = '';
  const life = (): Life => {
    const last = lives.at(-1);
    if (last === undefined) throw new Error('it was not started');
    return last;
  };
  return {
    url: () => url,
    life,
    async startCold() {
      await lives.at(-1)?.kill();
      await until(
        'a process of the market answers',
        async () => {
          const next = start();
          lives.push(next);
          // Without its log it ends with a line; whoever runs it starts it again.
          url = await next.url.catch(() => '');
          return url !== '';
        },
        READY_DEADLINE_MS,
      );
    },
    printed: () => lives.map((one) => one.printed()).join(''),
  };
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => null);
  return response?.status === 200 && (await response.text()).includes('"status":"ready"');
}

/** Nothing was lost and nothing is broken: any line of this level would be untrue. */
function errorsIn(printed: string): readonly string[] {
  return printed.split('\n').filter((line) => /"level":"?(?:error|fatal|[56]0)/.test(line));
}

/** Each place that a reaction kept is behind the one before. */
async function reactionsNeverWentBack(url: string, prefix: string): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const kept = new Map<string, string[]>();
  for await (const { event } of client.readAll()) {
    if (event?.streamId.startsWith(`checkpoint-of-${prefix}`) !== true) continue;
    const { position } = event.data as { readonly position: string };
    kept.set(event.streamId, [...(kept.get(event.streamId) ?? []), position]);
  }
  await client.dispose();
  expect(kept.size).to.be.above(0);
  for (const [stream, positions] of kept) expect(positions, stream).to.deep.equal(positions.toSorted());
}
