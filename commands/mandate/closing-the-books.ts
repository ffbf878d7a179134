/**
 * Closing the books: a mandate's stream carries its balance forward when a period begins and every so many events, so
 * that loading reads back to the last snapshot and no further. Ten years of spending load as fast as one day.
 */
import type { MandateFact } from '../../events/mandate-events.ts';
import { periodOf } from '../../events/period.ts';
import { type GrantedMandate, totalsAt } from './mandate-state.ts';

/** After this many events the balance is carried forward: a load reads at most about so many. */
export const SNAPSHOT_EVERY_EVENTS = 100;

export function isMandateSnapshot(type: MandateFact['type']): boolean {
  return (
    type === 'MandatePeriodOpened' || type === 'MandateBalanceCarried' || type === 'MandatePeriodCorrected'
  );
}

/** What goes before the next fact of this mandate: the opening of a new period, a snapshot when one is due, or nothing. */
export function snapshotIfDue(mandate: GrantedMandate, at: string): readonly MandateFact[] {
  const { status, mandateId, accountId, terms, correctedTo } = mandate;
  if (status === 'revoked') return [];
  const { period, spentCents, spendCount } = totalsAt(mandate, at);
  const corrected = correctedTo === undefined ? {} : { correctedTo };
  const data = { mandateId, accountId, status, terms, period, spentCents, spendCount, ...corrected };
  if (periodOf(at) > mandate.period) return [{ type: 'MandatePeriodOpened', data }];
  if (mandate.eventsSinceSnapshot >= SNAPSHOT_EVERY_EVENTS) return [{ type: 'MandateBalanceCarried', data }];
  return [];
}
