import { expect } from 'chai';
import { startJobApi } from '../support/job-flows.ts';
import { until } from '../support/until.ts';

describe('a service that stops', () => {
  it('answers whoever waits for a job at once, with the job as it is', async () => {
    const api = await startJobApi();
    const jobId = await api.draft();
    const waiting = api.get(`/v1/jobs/${jobId}?wait=60`, api.buyer);
    await until('somebody waits', () => api.services.jobWatch.waiting() === 1);
    const since = performance.now();
    await api.close();
    const answer = await waiting;

    expect([answer.status, answer.body.data['status']]).to.deep.equal([200, 'draft']);
    expect(performance.now() - since).to.be.below(5_000);
  });
});
