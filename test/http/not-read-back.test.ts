/** A change that stands, and cannot be read back to be shown: it must not be told as nothing done. */
import { expect } from 'chai';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import type { TestAnswer } from '../support/api.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';

describe('A log that fails right after a change was written', () => {
  const log = memoryEventStore();
  /** Once something is appended to such a stream, none of them can be read. */
  let armed: string | null = null;
  let isAway = false;
  const isArmed = (streamId: string): boolean => armed !== null && streamId.startsWith(armed);
  const events: EventStore = {
    ...log,
    async append(streamId, expectedRevision, fresh) {
      const result = await log.append(streamId, expectedRevision, fresh);
      isAway ||= isArmed(streamId);
      return result;
    },
    read(streamId, options) {
      if (isAway && isArmed(streamId)) throw new StoreUnavailable('the disk is away');
      return log.read(streamId, options);
    },
  };
  let api: JobApi;
  before(async () => (api = await startJobApi({ engines: { events } })));
  after(() => api.close());

  async function saysSo(streams: string, ask: () => Promise<TestAnswer>): Promise<void> {
    armed = streams;
    const first = await ask();
    [armed, isAway] = [null, false];
    expect([first.status, first.body.error?.code], first.text).to.deep.equal([503, 'unavailable']);
    expect(first.body.error.message).to.include('same Idempotency-Key').and.not.include('Nothing was done');
    const again = await ask();
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
  }

  for (const change of ['disable', 'rotate-secret', 'remove'] as const) {
    it(`says of an endpoint that it is not known, and the same request tells: ${change}`, async () => {
      const added = await api.post('/v1/webhook-endpoints', { url: 'https://buyer.example/' }, api.buyer);
      const path = `/v1/webhook-endpoints/${String(added.body.data['id'])}`;
      const of = { ...api.buyer, headers: { 'Idempotency-Key': change } };
      await saysSo('webhook-', () =>
        change === 'remove' ? api.send('DELETE', path, of) : api.post(`${path}/${change}`, {}, of),
      );
    });
  }

  it('says so of a job that was cancelled', async () => {
    const jobId = await api.draft();
    const of = { ...api.buyer, headers: { 'Idempotency-Key': 'cancel' } };
    await saysSo('job-', () => api.post(`/v1/jobs/${jobId}/cancel`, {}, of));
  });
});
