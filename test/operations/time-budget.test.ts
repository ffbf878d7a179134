/** Each look at the log has a moment by which it is over, also in an operation that may hold its answer. */
import { expect } from 'chai';
import { runOperation } from '../../src/calling/callable.ts';
import { getJob } from '../../src/operations/jobs/get-job.ts';
import { openMemoryMarket } from '../support/memory-market.ts';

const FIVE_SECONDS_MS = 5_000;

describe('An operation that may wait', () => {
  it('asks the log for an answer within five seconds all the same', async () => {
    const { services, close } = await openMemoryMarket();
    const moments: number[] = [];
    const within = (untilMs: number) => {
      moments.push(untilMs);
      return services.events;
    };
    const remote = { ...services, events: { ...services.events, within } };
    const caller = { keyId: 'key', accountId: 'acc', mandateId: 'mdt', agency: null };
    const call = {
      caller: { ...caller, scopes: ['jobs:read'] as const },
      requestId: 'req',
      at: '2026-11-27T09:30:00.000Z',
      commandId: 'cmd',
      signal: new AbortController().signal,
    };
    const outcome = await runOperation(getJob, { jobId: 'job_01kb3j5m8xe3vb0v6yq4s5t7wz' }, call, remote);
    await close();

    expect(outcome).to.have.nested.property('refusal.code', 'not_found');
    expect(moments).to.have.length(1);
    expect(moments[0]).to.be.below(performance.now() + FIVE_SECONDS_MS);
  });
});
