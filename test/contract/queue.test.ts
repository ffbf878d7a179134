import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDeliveryLog } from './memory/delivery-log.ts';
import { createMemoryQueue } from './memory/queue.ts';
import { openSqliteQueue } from '../../infra/sqlite/queue.ts';
import { type Queue, QueueUnavailable, REMEMBERED_MS } from '../../src/ports/queue.ts';
import { withRedis } from '../support/redis-server.ts';
import { openSharedRedis } from '../support/shared-redis.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deliveryLogContract } from './delivery-log.contract.ts';
import { queueContract } from './queue.contract.ts';

/** A clock that stands still, for queues that go by one that is handed to them. */
function stillClock() {
  let nowMs = Date.parse('2026-11-27T12:00:00.000Z');
  return { nowMs: () => nowMs, pass: async (ms: number) => void (nowMs += ms) };
}

queueContract('memory', async () => {
  const clock = stillClock();
  return { ...clock, queue: createMemoryQueue(clock.nowMs), close: async () => {} };
});

queueContract('SQLite', async () => {
  const clock = stillClock();
  const folder = await tempFolder();
  const { queue, close } = openSqliteQueue(folder.file('queue.db'), { now: clock.nowMs });
  return { ...clock, queue, close: () => close().then(folder.remove) };
});

withRedis('Queue: Redis', () =>
  queueContract('Redis', async () => {
    const { engine, close } = await openSharedRedis();
    return { queue: engine.queue, nowMs: Date.now, pass: (ms: number) => delay(ms), close };
  }),
);

deliveryLogContract('memory', async () => ({ log: createMemoryDeliveryLog(), close: async () => {} }));

deliveryLogContract('SQLite', async () => {
  const folder = await tempFolder();
  const { deliveries, close } = openSqliteQueue(folder.file('queue.db'));
  return { log: deliveries, close: () => close().then(folder.remove) };
});

withRedis('DeliveryLog: Redis', () =>
  deliveryLogContract('Redis', async () => {
    const { engine, close } = await openSharedRedis();
    return { log: engine.deliveries, close };
  }),
);

describe('The SQLite queue', () => {
  it('keeps its tasks across restarts, and claims of a process that is gone run out', async () => {
    const folder = await tempFolder();
    const clock = stillClock();
    const first = openSqliteQueue(folder.file('queue.db'), { now: clock.nowMs });
    await first.queue.add([{ id: 'a', name: 'k', payload: '1', dueAtMs: 0 }]);
    await first.queue.claim('k', 1, 100);
    await first.close();

    const second = openSqliteQueue(folder.file('queue.db'), { now: clock.nowMs });
    await clock.pass(99);
    expect(await second.queue.claim('k', 1, 100)).to.deep.equal([]);
    await clock.pass(1);
    const [task] = await second.queue.claim('k', 1, 100);
    expect(task).to.include({ id: 'a', payload: '1', attempt: 2 });
    await second.close();
    await folder.remove();
  });

  it('says that it is away, and comes back', async () => {
    const folder = await tempFolder();
    const { queue, close } = openSqliteQueue(folder.file('not-made/queue.db'));
    const error = await queue.nextDueAtMs('k').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(QueueUnavailable);
    await mkdir(folder.file('not-made'));
    expect(await queue.nextDueAtMs('k')).to.equal(null);
    await close();
    await folder.remove();
  });
});

describe('Queues that go by a clock of their own', () => {
  const task = { id: 'a', name: 'k', payload: '', dueAtMs: 0 };

  async function forgets(queue: Queue, pass: (ms: number) => Promise<void>): Promise<void> {
    await queue.add([task]);
    const [given] = await queue.claim('k', 1, 1);
    await queue.finish(given!);
    await pass(REMEMBERED_MS);
    await queue.add([task]);
    expect(await queue.claim('k', 1, 1)).to.deep.equal([]);
    await pass(1);
    await queue.add([{ ...task, id: 'b' }, task]);
    await queue.add([task]);
    expect(await queue.claim('k', 2, 1)).to.have.lengthOf(2);
  }

  it('forget a finished id when its time is over, in memory', async () => {
    const { nowMs, pass } = stillClock();
    await forgets(createMemoryQueue(nowMs), pass);
  });

  it('forget a finished id when its time is over, in SQLite', async () => {
    const { nowMs, pass } = stillClock();
    const folder = await tempFolder();
    const { queue, close } = openSqliteQueue(folder.file('queue.db'), { now: nowMs });
    await forgets(queue, pass);
    await close();
    await folder.remove();
  });
});
