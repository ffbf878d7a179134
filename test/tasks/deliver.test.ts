import { expect } from 'chai';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { startTaskRunner, type TaskRunner } from '../../src/background/task-runner.ts';
import { postLater } from '../../src/operations/notifications/post-later.ts';
import type { DeliveryLog } from '../../src/ports/delivery-log.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { deliver } from '../../src/tasks/deliver.ts';
import { type MemoryMarket, openMemoryMarket } from '../support/memory-market.ts';
import { newEvent } from '../support/new-event.ts';
import { until } from '../support/until.ts';

describe('Sending a message', () => {
  let market: MemoryMarket;
  let tasks: TaskRunner | undefined;
  beforeEach(async () => void (market = await openMemoryMarket()));
  afterEach(async () => {
    await tasks?.stop();
    await market.close();
  });

  it('tells of a try that could not be put on record', async () => {
    const queue = createMemoryQueue(Date.now);
    const full = new QueueUnavailable('the disk is full');
    const deliveries: DeliveryLog = { ...market.services.deliveries, record: () => Promise.reject(full) };
    const services = { ...market.services, queue, deliveries };
    const fetcher = {
      post: async () => ({ kind: 'answered', status: 204, retryAfterMs: null }) as const,
      close: async () => {},
    };
    const errors: unknown[] = [];
    tasks = startTaskRunner({
      queue,
      kinds: [deliver(services, fetcher, 64)],
      now: Date.now,
      onError: (_task, error) => void errors.push(error),
    });
    const accountId = 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy';
    const url = 'https://buyer.example/hooks';
    const event = { ...newEvent(), streamId: 'job-1', revision: 0, position: '1' };
    await postLater(services, event, [
      { accountId, endpointId: accountId, url, type: 'job.drafted', jobId: null, body: '{}' },
    ]);
    await until('it is told', () => errors.length > 0);
    expect(errors).to.deep.equal([full]);
  });

  it('is put off while as many of its account are on their way as may be, and goes once one has ended', async () => {
    const ended: (() => void)[] = [];
    const fetcher = {
      async post() {
        if (ended.length === 0) await new Promise<void>((resolve) => ended.push(resolve));
        return { kind: 'answered', status: 204, retryAfterMs: null } as const;
      },
      close: async () => {},
    };
    const { run } = deliver(market.services, fetcher, 1);
    const nowMs = Date.now();
    const plan = { nowMs, retryAtMs: () => null, signal: new AbortController().signal };
    const endpointId = 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy';
    const send = (id: string) => {
      const url = 'https://buyer.example/hooks';
      const payload = JSON.stringify({ id, accountId: endpointId, endpointId, url, body: '{}' });
      return run({ id, name: 'deliver', payload, attempt: 1, addedAtMs: nowMs, claim: id }, plan);
    };
    const first = send('dlv_1');
    await until('the first is on its way', () => ended.length === 1);
    expect(await send('dlv_2')).to.deep.equal({ kind: 'later', atMs: nowMs + 1_000 });
    ended[0]?.();
    expect(await first).to.include({ kind: 'done' });
    expect(await send('dlv_2')).to.include({ kind: 'done' });
  });
});
