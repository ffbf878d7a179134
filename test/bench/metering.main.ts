/**
 * Counts requests against plans, as the Data API does for each. Arguments: what (sqlite, redis), and the file or the
 * server's address. Answers a message `{task, seconds}` with what it did in that time.
 */
import { openRedis } from '../../infra/redis/engine.ts';
import { openSqliteMeter } from '../../infra/sqlite/meter.ts';
import type { Draw, Meter } from '../../src/ports/meter.ts';
import { takeOrders, type Task } from './engine-work.ts';

const [what = '', place = ''] = process.argv.slice(2);
const IN_FLIGHT = 64;
const ACCOUNTS = 200;
/** The largest plan's minute would be over within seconds: what is measured are requests that pass. */
const ALLOWANCE = { perMinute: 1_000_000_000, perMonth: 1_000_000_000 };

export type MeteringTask = 'inFlight' | 'inTurn';

const meter = await open();
const draws = Array.from({ length: ACCOUNTS }, (_, i): Draw => ({
  accountId: `acc_${i}`,
  keyId: `key_${i}`,
  operation: 'listTools',
  allowance: ALLOWANCE,
  costsQuota: true,
}));
const period = new Date().toISOString().slice(0, 7);
for (const { accountId } of draws)
  await meter.seed({ accountId, period, totals: { counted: 0, returned: 0 } });

const counting =
  (inFlight: number): Task =>
  async (isOver) => {
    let done = 0;
    const lane = async (): Promise<void> => {
      for (; !isOver(); done += 1) await meter.count(draws[done % ACCOUNTS]!, null);
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return done;
  };

const TASKS: Readonly<Record<MeteringTask, Task>> = { inFlight: counting(IN_FLIGHT), inTurn: counting(1) };
takeOrders(TASKS);

async function open(): Promise<Meter> {
  if (what === 'sqlite') return openSqliteMeter(place).meter;
  return (await openRedis({ url: place, prefix: 'bench-meter:', onError: console.error })).meter;
}
