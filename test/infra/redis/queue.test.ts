/** Tasks in Redis: none is lost when it dies, none comes back once it is done, and what is done takes little room. */
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openRedis, type RedisEngine } from '../../../infra/redis/engine.ts';
import { type NewTask, type Queue, QueueUnavailable, REMEMBERED_MS } from '../../../src/ports/queue.ts';
import { startTaskRunner, type TaskKind, type TaskRunner } from '../../../src/background/task-runner.ts';
import { newPrefix, type OwnRedis, startRedis, withOwnRedis } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';

withOwnRedis('Tasks in Redis', () => {
  let redis: OwnRedis;
  let prefix: string;
  let engines: RedisEngine[];
  let clients: Redis[];
  let runners: TaskRunner[];
  beforeEach(async () => {
    redis = await startRedis();
    prefix = newPrefix();
    [engines, clients, runners] = [[], [], []];
  });
  afterEach(async () => {
    await Promise.all(runners.map((runner) => runner.stop()));
    for (const client of clients) client.disconnect();
    for (const engine of engines) await engine.close();
    await redis.close();
  });

  async function open(): Promise<RedisEngine> {
    const engine = await openRedis({ url: redis.url, prefix, onError: () => {} });
    engines.push(engine);
    return engine;
  }

  const task = (id: string, more: Partial<NewTask> = {}): NewTask => ({
    id,
    name: 'work',
    payload: '{}',
    dueAtMs: 0,
    ...more,
  });

  it('are all done, and never again once they are known to be, though Redis is killed in the midst of it', async () => {
    const runs = new Map<string, number>();
    const done = new Set<string>();
    const again: string[] = [];
    const kind: TaskKind = {
      name: 'work',
      concurrency: 20,
      leaseMs: 1_000,
      retry: { firstPauseMs: 10, maxPauseMs: 100, giveUpAfterMs: Infinity },
      async run({ id }) {
        if (done.has(id)) again.push(id);
        runs.set(id, (runs.get(id) ?? 0) + 1);
        await new Promise(setImmediate);
        return { kind: 'done' };
      },
    };
    for (const { queue } of [await open(), await open()]) {
      const noting: Queue = {
        ...queue,
        finish: async (finished) => {
          await queue.finish(finished);
          done.add(finished.id);
        },
      };
      runners.push(startTaskRunner({ queue: noting, kinds: [kind], now: Date.now, onError: () => {} }));
    }

    const producer = await open();
    const ids = Array.from({ length: 800 }, (_, i) => `task-${i}`);
    const adding = (async () => {
      for (let at = 0; at < ids.length; at += 20) {
        const some = ids.slice(at, at + 20).map((id) => task(id));
        await until('some tasks are added', () => producer.queue.add(some).then(() => true, onlyUnavailable));
      }
    })();
    for (const share of [0.25, 0.6]) {
      await until('a part is done', () => runs.size >= share * ids.length);
      await redis.kill();
      await redis.start();
    }
    await adding;
    await until('all are done', () => runs.size === ids.length);
    expect(again).to.deep.equal([]);
    const doubled = [...runs.values()].filter((times) => times > 1).length;
    expect(doubled, 'only what was under way at a kill').to.be.lessThan(ids.length / 4);
  });

  it('are refused while Redis is dead, and taken when it is back, of a kind that nobody knew before too', async () => {
    const { queue } = await open();
    await queue.add([task('a')]);
    await redis.kill();
    for (const name of ['work', 'new']) {
      const calls = [
        queue.add([task('b', { name })]),
        queue.claim(name, 5, 60_000),
        queue.finish({ id: 'a', name, claim: 'c' }),
        queue.postpone({ id: 'a', name, claim: 'c' }, 0),
        queue.repeat({ id: 'a', name, claim: 'c' }, 0),
        queue.nextDueAtMs(name),
      ];
      const errors = await Promise.all(
        calls.map((call) =>
          call.then(
            () => 'done',
            (error: unknown) => error,
          ),
        ),
      );
      for (const error of errors) expect(error).to.be.instanceOf(QueueUnavailable);
    }
    await redis.start();
    await until('it is back', () =>
      queue.add([task('c', { name: 'new' })]).then(() => true, onlyUnavailable),
    );
    expect((await queue.claim('new', 5, 60_000)).map(({ id }) => id)).to.deep.equal(['c']);
    expect((await queue.claim('work', 5, 60_000)).map(({ id }) => id)).to.deep.equal(['a']);
  });

  it('are refused while Redis says nothing', async () => {
    const { queue } = await open();
    await queue.add([task('a')]);
    redis.silence();
    const errors = await Promise.all(
      [queue.add([task('b')]), queue.claim('work', 50, 60_000), queue.nextDueAtMs('work')].map((call) =>
        call.then(
          () => 'done',
          (error: unknown) => error,
        ),
      ),
    );
    for (const error of errors) expect(error).to.be.instanceOf(QueueUnavailable);
    redis.wake();
    await until('it is back', () => queue.nextDueAtMs('work').then(() => true, onlyUnavailable));
  });

  it('leave nothing but their id when they are done, for as long as it must be known', async () => {
    const { queue } = await open();
    await queue.add([task('a', { payload: JSON.stringify({ secret: 'x'.repeat(1_000) }) })]);
    const [given] = await queue.claim('work', 1, 60_000);
    await queue.finish(given!);
    const client = new Redis(redis.url);
    clients.push(client);
    const keys = await client.keys(`${prefix}*`);
    const about = keys.filter((key) => key.includes('task-a'));
    expect(about).to.have.lengthOf(1);
    expect(await client.pttl(about[0]!)).to.be.within(REMEMBERED_MS - 60_000, REMEMBERED_MS);
    expect(await client.memory('USAGE', about[0]!)).to.be.lessThan(250);
    expect(keys.every((key) => key.startsWith(prefix))).to.equal(true);
  });

  it('keep an installation apart from another by the prefix', async () => {
    const mine = await open();
    prefix = newPrefix();
    const theirs = await open();
    await mine.queue.add([task('a')]);
    expect(await theirs.queue.claim('work', 5, 60_000)).to.deep.equal([]);
    expect(await mine.queue.claim('work', 5, 60_000)).to.have.lengthOf(1);
  });
});

function onlyUnavailable(error: unknown): boolean {
  if (error instanceof QueueUnavailable) return false;
  throw error;
}
