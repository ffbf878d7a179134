/**
 * Counts requests and works through tasks in Redis. Arguments: what (bare, worker, adapter) and the server's
 * address. Answers a message `{task, seconds}` with what it did in that time.
 */
import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { openRedis } from '../../infra/redis/engine.ts';
import { takeOrders, type Task } from './engine-work.ts';

const [what = '', url = ''] = process.argv.slice(2);
const PREFIX = `bench-${what}`;
const IN_FLIGHT = 64;
const BATCH = 32;
const LANES = 4;
const LEASE_MS = 60_000;
/** As many as one window ever sees. */
const LIMIT = 1_000_000_000;
const CLIENTS = 1_000;
/** About as much as a notification says. */
const PAYLOAD = JSON.stringify({ url: 'https://buyer.example/hooks', body: 'x'.repeat(900) });

export type RedisTask = 'limit' | 'tasks';

/** The ways to Redis that are compared. */
interface Way {
  readonly take: (key: string) => Promise<unknown>;
  /** Adds some tasks of a lane of its own and sees them done. */
  readonly work: (lane: string, count: number) => Promise<void>;
}

const WAYS: Readonly<Record<string, () => Promise<Way>>> = { bare, worker, adapter };
const way = await WAYS[what]!();

const TASKS: Readonly<Record<RedisTask, Task>> = {
  async limit(isOver) {
    let done = 0;
    const lane = async (): Promise<void> => {
      for (; !isOver(); done += 1) await way.take(`client-${done % CLIENTS}`);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    return done;
  },
  async tasks(isOver) {
    let done = 0;
    const lane = async (_: unknown, i: number): Promise<void> => {
      for (; !isOver(); done += BATCH) await way.work(`lane-${i}`, BATCH);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return done;
  },
};
takeOrders(TASKS);

/** What whoever knows the documentation of these packages would write: bullmq by hand, as a claim is. */
async function bare(): Promise<Way> {
  const { limiter, queues, connection } = packages();
  const workers = new Map(
    [...queues.keys()].map((lane) => [
      lane,
      new Worker<string>(lane, null, { connection, prefix: PREFIX, lockDuration: LEASE_MS }),
    ]),
  );
  return {
    take: (key) => limiter.consume(key),
    async work(lane, count) {
      await queues.get(lane)!.addBulk(freshJobs(count));
      const claiming = Array.from({ length: count }, async () => {
        const token = randomUUID();
        const job = await workers.get(lane)!.getNextJob(token, { block: false });
        await job!.moveToCompleted('', token, false);
      });
      await Promise.all(claiming);
    },
  };
}

/** bullmq as it works by itself, each job fetched with the end of the one before. */
async function worker(): Promise<Way> {
  const { limiter, queues, connection } = packages();
  const left = new Map<string, { count: number; done: () => void }>();
  for (const lane of queues.keys()) {
    const work = async (): Promise<void> => {};
    const one = new Worker<string>(lane, work, { connection, prefix: PREFIX, concurrency: BATCH });
    one.on('completed', () => {
      const waiting = left.get(lane)!;
      waiting.count -= 1;
      if (waiting.count === 0) waiting.done();
    });
  }
  return {
    take: (key) => limiter.consume(key),
    async work(lane, count) {
      const all = new Promise<void>((done) => left.set(lane, { count, done }));
      await queues.get(lane)!.addBulk(freshJobs(count));
      await all;
    },
  };
}

function packages() {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const keyPrefix = `${PREFIX}:limit`;
  const limiter = new RateLimiterRedis({ storeClient: connection, points: LIMIT, duration: 60, keyPrefix });
  const lanes = Array.from({ length: LANES }, (_, i) => `lane-${i}`);
  const queues = new Map(
    lanes.map((lane) => [lane, new Queue<string>(lane, { connection, prefix: PREFIX })] as const),
  );
  return { connection, limiter, queues };
}

function freshJobs(count: number) {
  return Array.from({ length: count }, () => ({
    name: 'work',
    data: PAYLOAD,
    opts: { jobId: `task-${randomUUID()}`, removeOnComplete: true },
  }));
}

async function adapter(): Promise<Way> {
  const { limiter, queue } = await openRedis({ url, prefix: `${PREFIX}:`, onError: console.error });
  const local = { windowSeconds: 60, take: () => Promise.reject(new Error('Redis was away')) };
  const limits = limiter('reads', 60, local);
  return {
    take: (key) => limits.take(key, LIMIT, Date.now()),
    async work(name, count) {
      const fresh = { name, payload: PAYLOAD, dueAtMs: 0 };
      await queue.add(Array.from({ length: count }, () => ({ ...fresh, id: randomUUID() })));
      const claimed = await queue.claim(name, count, LEASE_MS);
      if (claimed.length !== count) throw new Error(`${claimed.length} of ${count} tasks were handed out`);
      await Promise.all(claimed.map((task) => queue.finish(task)));
    },
  };
}
