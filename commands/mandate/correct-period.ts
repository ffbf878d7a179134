/**
 * Puts a mandate right that a fast clock has carried into a later month. The stream goes back to the month that it is,
 * and all that was counted in that month and in later ones counts in it: those spends were made, so no cap is passed
 * twice. What was counted is known to whoever has read the whole stream, and holds only while nobody has spent since.
 */
import { accept, reject } from '../decider.ts';
import { periodOf } from '../../events/period.ts';
import type { GrantedMandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface CorrectMandatePeriod {
  readonly type: 'CorrectMandatePeriod';
  /** The month that it is. */
  readonly period: string;
  /** Of that month and all later ones together. */
  readonly spentCents: number;
  readonly spendCount: number;
  /** The stream as it was read for that: its last revision, and the state that it ended with. */
  readonly read: { readonly revision: number } & Pick<
    GrantedMandate,
    // The last is one more with each event: whatever was written since shows by it.
    'period' | 'spentCents' | 'spendCount' | 'eventsSinceSnapshot'
  >;
  readonly reason: string;
}

export function correctMandatePeriod(
  { period, spentCents, spendCount, read, reason }: CorrectMandatePeriod,
  mandate: GrantedMandate,
  at: string,
): MandateDecision {
  const { status, mandateId, accountId, terms, period: from } = mandate;
  if (status === 'revoked') return reject({ kind: 'status', status });
  if (period >= from || period !== periodOf(at)) return reject({ kind: 'period', period: from });
  const isAsRead =
    read.period === from &&
    read.spentCents === mandate.spentCents &&
    read.spendCount === mandate.spendCount &&
    read.eventsSinceSnapshot === mandate.eventsSinceSnapshot;
  if (!isAsRead) return reject({ kind: 'changed' });
  const carried = { mandateId, accountId, status, terms, period, spentCents, spendCount };
  return accept({
    type: 'MandatePeriodCorrected',
    data: { ...carried, correctedTo: read.revision, from, reason },
  });
}
