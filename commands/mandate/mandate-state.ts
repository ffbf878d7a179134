/**
 * What a mandate's events add up to: terms in force, and what is spent in the current period. The books are closed when a
 * period begins and every so many events: the stream then carries its balance forward, so that loading reads back to the
 * last snapshot and no further. Ten years of spending load as fast as one day.
 */
import { assertNever, SNAPSHOT_EVERY_EVENTS } from '../decider.ts';
import type { Occurred } from '../../events/event.ts';
import type { MandateFact, MandateTerms } from '../../events/mandate-events.ts';
import { periodOf } from '../../events/period.ts';

export interface GrantedMandate {
  readonly status: 'active' | 'suspended' | 'revoked';
  readonly mandateId: string;
  readonly accountId: string;
  readonly terms: MandateTerms;
  /** The latest period that was opened. Totals are this period's; earlier ones are closed to new spends. */
  readonly period: string;
  readonly spentCents: number;
  readonly spendCount: number;
  /** How many events a load has to read back to the last snapshot. */
  readonly eventsSinceSnapshot: number;
  /** Once the period was corrected: the last revision before, up to which no spend is given back any more. */
  readonly correctedTo?: number;
}

export type Mandate = { readonly status: 'absent' } | GrantedMandate;

export const noMandate: Mandate = { status: 'absent' };

export function evolveMandate(mandate: Mandate, event: Occurred<MandateFact>): Mandate {
  switch (event.type) {
    case 'MandateGranted': {
      const { mandateId, accountId, terms } = event.data;
      const totals = { period: periodOf(event.at), spentCents: 0, spendCount: 0, eventsSinceSnapshot: 1 };
      return { status: 'active', mandateId, accountId, terms, ...totals };
    }
    case 'MandatePeriodOpened':
    case 'MandateBalanceCarried':
    case 'MandatePeriodCorrected':
      return fromSnapshot(event.data);
    default:
      return mandate.status === 'absent' ? mandate : evolveGranted(counted(mandate), event);
  }
}

type EventOfGranted = Exclude<
  Occurred<MandateFact>,
  { type: 'MandateGranted' | 'MandatePeriodOpened' | 'MandateBalanceCarried' | 'MandatePeriodCorrected' }
>;

type Carried = Extract<Occurred<MandateFact>, { type: 'MandatePeriodOpened' }>['data'];

function fromSnapshot(data: Carried): GrantedMandate {
  const { status, mandateId, accountId, terms, period, spentCents, spendCount, correctedTo } = data;
  const state = {
    status,
    mandateId,
    accountId,
    terms,
    period,
    spentCents,
    spendCount,
    eventsSinceSnapshot: 0,
  };
  return correctedTo === undefined ? state : { ...state, correctedTo };
}

function evolveGranted(mandate: GrantedMandate, event: EventOfGranted): GrantedMandate {
  switch (event.type) {
    case 'MandateAmended':
      return { ...mandate, terms: event.data.terms };
    case 'MandateSuspended':
      return { ...mandate, status: 'suspended' };
    case 'MandateResumed':
      return { ...mandate, status: 'active' };
    case 'MandateRevoked':
      return { ...mandate, status: 'revoked' };
    case 'MandateSpent':
      return totalled(mandate, event.data.period, event.data.amountCents, 1);
    case 'SpendRecovered':
      return totalled(mandate, event.data.period, event.data.amountCents, 1);
    case 'SpendReleased':
      if (event.data.uncounted === true) return mandate;
      return totalled(mandate, event.data.period, -event.data.amountCents, -1);
    default:
      return assertNever(event);
  }
}

// The next two member by member: each spend makes both, and the rest of an object costs many times as much.

function counted(mandate: GrantedMandate): GrantedMandate {
  const { status, mandateId, accountId, terms, period, spentCents, spendCount } = mandate;
  const eventsSinceSnapshot = mandate.eventsSinceSnapshot + 1;
  if (mandate.correctedTo !== undefined) return { ...mandate, eventsSinceSnapshot };
  return { status, mandateId, accountId, terms, period, spentCents, spendCount, eventsSinceSnapshot };
}

/** A spend given back to a period that is over changes nothing that is still decided upon. */
function totalled(mandate: GrantedMandate, period: string, cents: number, count: number): GrantedMandate {
  if (period !== mandate.period) return mandate;
  const { status, mandateId, accountId, terms, eventsSinceSnapshot } = mandate;
  const spentCents = mandate.spentCents + cents;
  const spendCount = mandate.spendCount + count;
  if (mandate.correctedTo !== undefined) return { ...mandate, spentCents, spendCount };
  return { status, mandateId, accountId, terms, period, spentCents, spendCount, eventsSinceSnapshot };
}

/** The totals that a decision at `at` starts from: those of the open period, or none if a new month has begun. */
export function totalsAt(
  mandate: GrantedMandate,
  at: string,
): Pick<GrantedMandate, 'period' | 'spentCents' | 'spendCount'> {
  const month = periodOf(at);
  if (month > mandate.period) return { period: month, spentCents: 0, spendCount: 0 };
  return mandate;
}

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
