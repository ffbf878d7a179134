import { expect } from 'chai';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { startApi } from '../support/api.ts';

describe('Sending a message once more', () => {
  it('is done once for each Idempotency-Key, however often it is asked for, and for others once in five seconds', async () => {
    const queue = createMemoryQueue();
    let nowMs = Date.now();
    const api = await startApi({ services: { queue }, now: () => nowMs });
    const buyer = await api.newKey({ scopes: ['webhooks:manage'] });
    const id = 'dlv_01kb3j5m8xe3vb0v6yq4s5t7wm';
    await api.services.deliveries.begin([
      {
        id,
        accountId: buyer.accountId,
        endpointId: buyer.accountId,
        eventId: 'evt_1',
        type: 'job.funded',
        jobId: null,
        url: 'https://buyer.example/hooks',
        body: '{}',
        createdAt: '2026-11-27T12:00:00.000Z',
      },
    ]);
    const again = async (key: string): Promise<number> => {
      const path = `/v1/webhook-deliveries/${id}/redeliver`;
      const { status } = await api.post(path, {}, { ...buyer, headers: { 'Idempotency-Key': key } });
      return status;
    };
    const statuses = [await again('one'), await again('one'), await again('two')];
    nowMs += 5_000;
    statuses.push(await again('two'), await again('one'));
    const tasks = await queue.claim('deliver', 10, 1_000);
    await api.close();

    expect(statuses).to.deep.equal([202, 202, 429, 202, 202]);
    expect(tasks).to.have.lengthOf(2);
  });
});
