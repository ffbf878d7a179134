/** Whoever was told of a write sees it in the next list, and is told where that cannot be. */
import { expect } from 'chai';
import type { EventStore } from '../../events/event-store.ts';
import { jobsProjection } from '../../projections/jobs.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';

const ROUNDS = 40;

describe('A list of what belongs to an account', () => {
  let api: JobApi;
  let heads = 0;
  before(async () => (api = await startJobApi({ engines: { events: countingHeads(() => (heads += 1)) } })));
  after(() => api.close());

  const listed = async (path: string, key = api.buyer): Promise<readonly Record<string, unknown>[]> =>
    (await api.get(path, key)).body.data;
  const statusOf = async (path: string, id: unknown, key = api.buyer): Promise<unknown> =>
    (await listed(path, key)).find((one) => one['id'] === id)?.['status'] ?? 'not listed';

  it('shows each job right after its 201, and each cancelled one as cancelled', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const jobId = await api.draft();
      expect(await statusOf('/v1/jobs', jobId), `round ${round}`).to.equal('draft');
      await api.post(`/v1/jobs/${jobId}/cancel`, {}, api.buyer);
      expect(await statusOf('/v1/jobs', jobId), `round ${round}`).to.equal('cancelled');
      const drafts = await listed('/v1/jobs?status=draft');
      expect(drafts, `round ${round}`).to.have.lengthOf(0);
    }
  });

  it('shows an agency each job as it has just made it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const jobId = await api.jobIn('funded');
      expect(await statusOf('/v1/provider/jobs', jobId, api.agency), `round ${round}`).to.equal('funded');
      await api.act('start', jobId);
      expect(await statusOf('/v1/provider/jobs', jobId, api.agency), `round ${round}`).to.equal('running');
    }
  });

  it('shows each endpoint once it is added, disabled and removed', async () => {
    const path = '/v1/webhook-endpoints';
    for (let round = 0; round < ROUNDS; round += 1) {
      const { body } = await api.post(path, { url: 'https://buyer.example/hooks' }, api.buyer);
      const id = String(body.data.id);
      expect(await statusOf(path, id), `round ${round}`).to.equal('enabled');
      await api.post(`${path}/${id}/disable`, {}, api.buyer);
      expect(await statusOf(path, id), `round ${round}`).to.equal('disabled');
      await api.send('DELETE', `${path}/${id}`, api.buyer);
      expect(await statusOf(path, id), `round ${round}`).to.equal('not listed');
    }
  });

  it('is 503 with Retry-After while the view stands still before what was told, and whole again after it', async () => {
    const { projector } = api.services;
    await projector.stop();
    const jobId = await api.draft();
    const { status, headers, body } = await api.get('/v1/jobs', api.buyer);
    expect([status, body.error.code, headers.get('Retry-After')]).to.deep.equal([503, 'unavailable', '1']);
    expect(body.error.message).to.contain('does not show yet');
    expect((await api.get('/v1/agents')).status, 'a public read').to.equal(200);
    await projector.start();
    expect(await statusOf('/v1/jobs', jobId)).to.equal('draft');
  });

  it('costs one look at the end of the log, which public lists do without', async () => {
    // Nothing else looks while the projector rests.
    await api.services.projector.caughtUp();
    const head = await api.services.events.head();
    expect(await api.services.projector.reached(jobsProjection.name, head ?? '', 10_000)).to.equal(true);
    await api.services.projector.stop();
    const before = heads;
    for (const path of ['/v1/agents', '/v1/agencies', '/v1/bundles', '/v1/changes', '/agents'])
      expect((await api.get(path)).status, path).to.equal(200);
    expect(heads - before, 'public lists').to.equal(0);
    await api.get('/v1/jobs', api.buyer);
    expect(heads - before, 'the jobs of an account').to.equal(1);
    await api.services.projector.start();
  });
});

function countingHeads(count: () => void): EventStore {
  const store = memoryEventStore();
  return {
    ...store,
    head() {
      count();
      return store.head();
    },
  };
}
