/** The server that benches of the log in EventStoreDB work on: that of `EVENTSTORE_URL`, else the double beside the load. */
import { randomUUID } from 'node:crypto';
import { eventStoreDbUrl } from '../support/eventstoredb-logs.ts';
import type { BenchRun } from './bench.ts';
import { cpuSeconds, startGauge } from './children.ts';

/** The settings of a market whose log is in EventStoreDB. */
export type LogEnv = Readonly<Record<'EVENTSTORE_URL' | 'EVENTSTORE_PREFIX', string>>;

export interface LogServer {
  /** Of a new log on this server, in streams of its own. */
  readonly newMarketEnv: () => LogEnv;
  readonly url: string;
  /** What the server has used of its cores so far; null for one elsewhere. */
  readonly cpuSeconds: () => number | null;
  readonly stop: () => Promise<void>;
}

export async function startLogServer({ say }: Pick<BenchRun, 'say'>): Promise<LogServer> {
  const newMarketEnv = (url: string) => () => ({
    EVENTSTORE_URL: url,
    EVENTSTORE_PREFIX: `bench_${randomUUID().replaceAll('-', '')}.`,
  });
  if (eventStoreDbUrl !== undefined) {
    say('  on the server of EVENTSTORE_URL');
    const url = eventStoreDbUrl;
    return { newMarketEnv: newMarketEnv(url), url, cpuSeconds: () => null, stop: async () => {} };
  }
  say('  on the double');
  const double = await startGauge<string>('log-server.main.ts', [], { isFree: true });
  const url = await double.ask({});
  return {
    newMarketEnv: newMarketEnv(url),
    url,
    cpuSeconds: () => cpuSeconds(double.pid),
    stop: double.stop,
  };
}
