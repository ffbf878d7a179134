/** A change to an endpoint that stands, and cannot be read back: it must not be told as nothing done. */
import { expect } from 'chai';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';

describe('A log that fails right after an endpoint was changed', () => {
  const log = memoryEventStore();
  let isArmed = false;
  let isAway = false;
  const events: EventStore = {
    ...log,
    async append(streamId, expectedRevision, fresh) {
      const result = await log.append(streamId, expectedRevision, fresh);
      isAway ||= isArmed && streamId.startsWith('webhook-');
      return result;
    },
    read(streamId, options) {
      if (isAway && streamId.startsWith('webhook-')) throw new StoreUnavailable('the disk is away');
      return log.read(streamId, options);
    },
  };
  let api: JobApi;
  before(async () => (api = await startJobApi({ engines: { events } })));
  after(() => api.close());

  for (const change of ['disable', 'rotate-secret', 'remove'] as const) {
    it(`says that it is not known, and the same request tells: ${change}`, async () => {
      const added = await api.post('/v1/webhook-endpoints', { url: 'https://buyer.example/' }, api.buyer);
      const path = `/v1/webhook-endpoints/${String(added.body.data['id'])}`;
      const of = { ...api.buyer, headers: { 'Idempotency-Key': change } };
      const ask = () =>
        change === 'remove' ? api.send('DELETE', path, of) : api.post(`${path}/${change}`, {}, of);
      isArmed = true;
      const first = await ask();
      [isArmed, isAway] = [false, false];
      expect([first.status, first.body.error?.code], first.text).to.deep.equal([503, 'unavailable']);
      expect(first.body.error.message).to.include('same Idempotency-Key').and.not.include('Nothing was done');
      const again = await ask();
      expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    });
  }
});
