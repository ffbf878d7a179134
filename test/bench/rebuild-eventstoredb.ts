/** E3: every view built anew from a log in EventStoreDB, beside the bare client that follows it; and the way there. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Bench, BenchRun } from './bench.ts';
import { cpuSeconds, type Gauge, startChild, startGauge } from './children.ts';
import { mixedMarket } from './histories.ts';
import { type LogEnv, startLogServer } from './log-server.ts';
import { documentsOf, inMarket } from './market.ts';
import type { Followed } from './rebuild-eventstoredb.main.ts';
import { figureOf, replaysIn } from './replays.ts';
import { beside, ratiosOf } from './statistics.ts';

const MANY = 300_000;
const FEW = 20_000;
const LOOK_EVERY_MS = 50;

/** A log, and what the views of it hold. */
interface Past {
  readonly events: number;
  readonly documents: Readonly<Record<string, number>>;
}

export const rebuildFromEventStoreDb: Bench = {
  name: 'E3',
  title: 'bourse migrate of 300,000 mixed events into EventStoreDB, and every view anew from there',
  isDurable: false,
  async run(run) {
    const { dataDir } = await mixedMarket(run, run.isQuick ? FEW : MANY);
    const past = await pastOf(dataDir);
    const server = await startLogServer(run);
    const env = server.newMarketEnv();
    // It notes where the log will begin.
    const bare = await open('bare', env);
    const carried = await migrate(run, dataDir, env, past);
    const measured = await beside(
      replaysIn(run.rounds),
      () => bare.ask({ events: past.events }),
      () => rebuild(run, env, past),
    );
    await bare.stop();
    await server.stop();
    return [
      {
        what: 'events that bourse migrate carried',
        unit: '/s',
        values: [carried.perSecond],
        cpuUs: carried.cpuUs,
        goal: { of: 'median', atLeast: 3_000 },
      },
      figureOf('bare: events followed', measured.ceilings),
      {
        ...figureOf('events of the rebuild', measured.own),
        against: { what: 'bare', ...ratiosOf(measured) },
        goal: { of: 'ratio', atLeast: 0.6 },
      },
      {
        what: 'peak resident',
        unit: 'MiB',
        values: measured.own.map(({ peakRssMib }) => peakRssMib),
        goal: { of: 'median', atMost: 256 },
      },
      {
        what: 'peak resident that no file backs',
        unit: 'MiB',
        values: measured.own.map(({ peakAnonMib }) => peakAnonMib),
      },
      { what: 'peak heap', unit: 'MiB', values: measured.own.map(({ peakHeapMib }) => peakHeapMib) },
      { what: 'peak resident, bare', unit: 'MiB', values: measured.ceilings.map((one) => one.peakRssMib) },
    ];
  },
};

function pastOf(dataDir: string): Promise<Past> {
  return inMarket(dataDir, async (market) => {
    await market.catchUp();
    // The embedded log counts its events.
    const events = Number(await market.services.events.head());
    return { events, documents: await documentsOf(market) };
  });
}

interface Carried {
  /** From its start until every one was read back and compared. */
  readonly perSecond: number;
  readonly cpuUs: number;
}

/** On whatever core is free: nothing else is under way, and half of its time it waits for the server. */
async function migrate(
  { root, scratch }: BenchRun,
  dataDir: string,
  env: LogEnv,
  { events }: Past,
): Promise<Carried> {
  const startedMs = performance.now();
  const settings = { ...env, DATA_DIR: join(scratch, randomUUID()) };
  const args = ['migrate', '--from', `sqlite:${dataDir}`];
  const { process: child, pid } = startChild(join(root, 'dist/bourse.js'), args, {
    env: settings,
    isFree: true,
  });
  let usedSeconds = 0;
  const watch = setInterval(() => (usedSeconds = cpuSeconds(pid)), LOOK_EVERY_MS);
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  if (code !== 0) throw new Error(`bourse migrate ended with ${code}`);
  const perSecond = (events * 1_000) / (performance.now() - startedMs);
  return { perSecond, cpuUs: (usedSeconds * 1_000_000) / events };
}

/** In a process and a data folder of its own, so that its peak is this rebuild's. */
async function rebuild({ scratch }: BenchRun, env: LogEnv, { events, documents }: Past): Promise<Followed> {
  const program = await open('rebuild', env, join(scratch, randomUUID()));
  const rebuilt = await program.ask({ events });
  await program.stop();
  if (!isDeepStrictEqual(rebuilt.documents, documents)) {
    const [built, embedded] = [rebuilt.documents, documents].map((one) => JSON.stringify(one));
    throw new Error(`the views hold ${built}, those of the embedded log ${embedded}`);
  }
  return rebuilt;
}

function open(what: 'bare' | 'rebuild', env: LogEnv, dataDir = ''): Promise<Gauge<Followed>> {
  const { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix } = env;
  return startGauge<Followed>('rebuild-eventstoredb.main.ts', [what, url, prefix, dataDir]);
}
