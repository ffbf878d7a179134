/** Random commands at random times to one job, held against a model that is a table of a few lines. */
import { expect } from 'chai';
import fc from 'fast-check';
import { fold } from '../../commands/decider.ts';
import type { JobStatus } from '../../events/job-status.ts';
import { type JobCommand, jobDecider } from '../../commands/job/job.ts';
import type { Occurred } from '../../events/event.ts';
import type { JobFact } from '../../events/job-events.ts';
import { draft } from '../support/sample-job.ts';

/** What moves a job, and from where; all else leaves its status as it is. */
const MOVES: Partial<Record<JobCommand['type'], { from: readonly (JobStatus | 'absent')[]; to: JobStatus }>> =
  {
    CreateTrial: { from: ['absent'], to: 'draft' },
    FundJob: { from: ['draft'], to: 'funded' },
    ReceivePayment: { from: ['draft'], to: 'funded' },
    StartJob: { from: ['funded'], to: 'running' },
    CompleteJob: { from: ['running'], to: 'completed' },
    FailJob: { from: ['running'], to: 'failed' },
    CancelJob: { from: ['draft'], to: 'cancelled' },
    ExpireJob: { from: ['draft'], to: 'expired' },
    RefundJob: { from: ['funded', 'running'], to: 'refunded' },
  };

const payment = fc.record({
  provider: fc.constant('test' as const),
  reference: fc.constantFrom('p1', 'p2', 'p3'),
  amountCents: fc.constant(draft.amountCents),
});
const command: fc.Arbitrary<JobCommand> = fc.oneof(
  fc.constant({ type: 'CreateTrial', draft } as const),
  payment.map((made) => ({ type: 'FundJob', payment: made }) as const),
  payment.map((made) => ({ type: 'ReceivePayment', ofOwnAccount: false, payment: made }) as const),
  payment.map(
    ({ provider, reference }) =>
      ({ type: 'ReportPaymentPending', payment: { provider, reference } }) as const,
  ),
  payment.map(
    ({ provider, reference }) =>
      ({ type: 'ReportPaymentFailed', payment: { provider, reference }, reason: 'no' }) as const,
  ),
  payment.map((made) => ({ type: 'RecordReturn', payment: made }) as const),
  fc.constantFrom<JobCommand>(
    { type: 'StartJob' },
    { type: 'CompleteJob' },
    { type: 'FailJob', code: 'x', message: 'y' },
    { type: 'CancelJob' },
    { type: 'ExpireJob' },
    { type: 'RefundJob', reason: 'r' },
  ),
);

describe('A job under random commands', () => {
  it('is in the state of the model, counts no payment twice, and loses none', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(command, fc.integer({ min: 0, max: 20 }))), (steps) => {
        const history: Occurred<JobFact>[] = [];
        let status: JobStatus | 'absent' = 'absent';
        let pending: string | null = null;
        let atMs = Date.parse('2026-11-27T09:30:00.000Z');
        const moved = new Set<string>();
        for (const [one, hours] of steps) {
          atMs += hours * 3_600_000;
          const at = new Date(atMs).toISOString();
          const decision = jobDecider.decide(one, fold(jobDecider, history), at);
          const move = MOVES[one.type];
          const isDue = one.type !== 'ExpireJob' || at >= draft.fundingExpiresAt;
          const isFree = pending === null || (one.type !== 'CancelJob' && one.type !== 'ExpireJob');
          const exists: boolean = status !== 'absent';
          if (move?.from.includes(status) && isDue && isFree) {
            expect(decision.ok && decision.facts.length, one.type).to.equal(1);
            status = move.to;
            pending = null;
          } else if (one.type === 'ReportPaymentPending' && decision.ok && decision.facts.length > 0) {
            pending = one.payment.reference;
          } else if (one.type === 'ReportPaymentFailed' && pending === one.payment.reference) pending = null;
          if (one.type === 'ReceivePayment' && exists) moved.add(one.payment.reference);
          if (!decision.ok) continue;
          for (const fact of decision.facts) {
            history.push({ ...fact, at });
            if (fact.type === 'JobFunded') moved.add(fact.data.payment.reference);
          }
        }
        const state = fold(jobDecider, history);
        expect(state.status).to.equal(status);
        if (state.status === 'absent') return;
        const known = [state.payment, ...state.surplus].flatMap((one) =>
          one === null ? [] : [one.reference],
        );
        expect(new Set(known).size).to.equal(known.length);
        expect(new Set(known)).to.deep.equal(moved);
        expect(new Set(state.returned.map(({ reference }) => reference)).size).to.equal(
          state.returned.length,
        );
      }),
      { numRuns: 500 },
    );
  });
});
