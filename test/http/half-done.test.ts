import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type FaultyEventStore, faultyEventStore } from '../support/faulty-event-store.ts';
import { until } from '../support/until.ts';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';

describe('A log that fails between the two halves of one wish', () => {
  let events: FaultyEventStore;
  let api: JobApi;
  beforeEach(async () => {
    events = faultyEventStore(memoryEventStore());
    api = await startJobApi({ engines: { events } });
  });
  afterEach(() => api.close());
  const buy = (headers: Record<string, string>) =>
    api.post('/v1/trials', { agent: AGENT, brief: 'Do it.' }, { key: api.buyer.key, headers });

  it('is not told as nothing done: the same Idempotency-Key finds the one spend and its job', async () => {
    const headers = { 'Idempotency-Key': 'half' };
    events.plan(undefined, 'refuse');
    const first = await buy(headers);
    expect([first.status, first.body.error.code]).to.deep.equal([503, 'unavailable']);
    expect(first.body.error.message).to.include('same Idempotency-Key').and.not.include('Nothing was done');

    const again = await buy(headers);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([201, 'true']);
    expect((await api.get('/v1/mandate', api.buyer)).body.data['spendsThisPeriod']).to.equal(1);
  });

  it('says that nothing was done where nothing was', async () => {
    events.plan('refuse');
    expect((await buy({})).body.error.message).to.include('Nothing was done');
    expect((await api.get('/v1/mandate', api.buyer)).body.data['spendsThisPeriod']).to.equal(0);
  });

  it('gives the spend of a cancelled draft back all the same', async () => {
    const jobId = await api.draft();
    events.plan(undefined, 'refuse');
    const answer = await api.post(`/v1/jobs/${jobId}/cancel`, undefined, api.buyer);
    expect(answer.text).to.not.include('Nothing was done');
    await until('the spend is given back', async () => {
      const mandate = await api.get('/v1/mandate', api.buyer);
      return mandate.body.data['spendsThisPeriod'] === 0;
    });
  });
});
