import { expect } from 'chai';
import { createMemoryDeliveryLog } from '../../infra/memory/delivery-log.ts';
import { createMemoryQueue } from '../../infra/memory/queue.ts';
import { openSqliteQueue } from '../../infra/sqlite/queue.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { deliveryLogContract } from './delivery-log.contract.ts';
import { queueContract } from './queue.contract.ts';

queueContract('memory', async () => createMemoryQueue());

queueContract('SQLite', async () => {
  const folder = await tempFolder();
  const { queue, close } = openSqliteQueue(folder.file('queue.db'));
  return { ...queue, close: () => close().then(folder.remove) };
});

deliveryLogContract('memory', async () => ({ log: createMemoryDeliveryLog(), close: async () => {} }));

deliveryLogContract('SQLite', async () => {
  const folder = await tempFolder();
  const { deliveries, close } = openSqliteQueue(folder.file('queue.db'));
  return { log: deliveries, close: () => close().then(folder.remove) };
});

describe('The SQLite queue', () => {
  it('keeps its tasks across restarts, and claims of a process that is gone run out', async () => {
    const folder = await tempFolder();
    const first = openSqliteQueue(folder.file('queue.db'));
    await first.queue.add([{ id: 'a', name: 'k', payload: '1', dueAtMs: 5 }], 0);
    await first.queue.claim('k', 1, 100, 10);
    await first.close();

    const second = openSqliteQueue(folder.file('queue.db'));
    expect(await second.queue.claim('k', 1, 100, 109)).to.deep.equal([]);
    const [task] = await second.queue.claim('k', 1, 100, 110);
    expect(task).to.include({ id: 'a', payload: '1', attempt: 2 });
    await second.close();
    await folder.remove();
  });

  it('says that it is away, and comes back', async () => {
    const folder = await tempFolder();
    const { queue, close } = openSqliteQueue(folder.file('not-made/queue.db'));
    const error = await queue.counts(0).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(QueueUnavailable);
    const { mkdir } = await import('node:fs/promises');
    await mkdir(folder.file('not-made'));
    expect(await queue.counts(0)).to.deep.equal({ waiting: 0, due: 0 });
    await close();
    await folder.remove();
  });
});
