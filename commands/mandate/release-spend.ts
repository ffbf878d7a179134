/**
 * Gives a spend that came to nothing back to the period it was made in. That it happens once is the command id's part
 * (`release:{spendId}`): a stream answers each command once, and the runner reads back as far as the spend to know.
 */
import { accept } from '../decider.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { snapshotIfDue, type GrantedMandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface ReleaseSpend {
  readonly type: 'ReleaseSpend';
  readonly spendId: string;
  readonly jobId: string;
  readonly period: string;
  /** Of the spend. */
  readonly revision: number;
  readonly amountCents: number;
  readonly reason: 'job_cancelled' | 'job_expired';
}

export function releaseSpend(
  { spendId, jobId, period, revision, amountCents, reason }: ReleaseSpend,
  mandate: GrantedMandate,
  at: string,
): MandateDecision {
  const isCounted = mandate.correctedTo === undefined || revision > mandate.correctedTo;
  const uncounted = isCounted ? {} : { uncounted: true as const };
  return accept<MandateFact>(...snapshotIfDue(mandate, at), {
    type: 'SpendReleased',
    data: { spendId, jobId, period, amountCents, reason, ...uncounted },
  });
}
