import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type FaultyEventStore, faultyEventStore } from '../support/faulty-event-store.ts';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';

describe('A trial on a log that commits several streams at once', () => {
  let events: FaultyEventStore;
  let api: JobApi;
  before(async () => {
    events = faultyEventStore(memoryEventStore(), { commitsDependents: true });
    api = await startJobApi({ engines: { events } });
  });
  after(() => api.close());

  it('is one commit: the spend, and its job behind it', async () => {
    const before = events.appends.length;
    const answer = await api.post('/v1/trials', { agent: AGENT, brief: 'Do it.' }, { key: api.buyer.key });
    expect(answer.status).to.equal(201);
    const asked = events.appends.slice(before).map(({ streamId }) => streamId.split('-')[0]);
    expect(asked).to.deep.equal(['mandate']);
    const id = String(answer.body.data['id']);
    expect((await api.get(`/v1/jobs/${id}`, api.buyer)).body.data).to.include({ id, status: 'draft' });
  });
});
