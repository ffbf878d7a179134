/** What was spent and given back in each calendar month, added up event by event. */
import type { Occurred } from '../../events/event.ts';
import type { MandateFact } from '../../events/mandate-events.ts';

export interface PeriodTotal {
  readonly spentCents: number;
  readonly releasedCents: number;
  /** Spent less released: what the cap is held against. */
  readonly netCents: number;
  readonly spends: number;
  readonly releases: number;
}

export type PeriodTotals = ReadonlyMap<string, PeriodTotal>;

const nothing: PeriodTotal = { spentCents: 0, releasedCents: 0, netCents: 0, spends: 0, releases: 0 };

/** Adds one more event to the totals. */
export function addTo(totals: Map<string, PeriodTotal>, fact: Occurred<MandateFact>): void {
  if (fact.type === 'MandatePeriodCorrected') return gather(totals, fact.data.period);
  if (fact.type === 'SpendReleased' && fact.data.uncounted === true) return;
  if (!counts(fact)) return;
  const { period, amountCents } = fact.data;
  const before = totals.get(period) ?? nothing;
  const added =
    fact.type === 'SpendReleased'
      ? { ...nothing, releasedCents: amountCents, netCents: -amountCents, releases: 1 }
      : { ...nothing, spentCents: amountCents, netCents: amountCents, spends: 1 };
  totals.set(period, sumOf(before, added));
}

function sumOf(one: PeriodTotal, other: PeriodTotal): PeriodTotal {
  return {
    spentCents: one.spentCents + other.spentCents,
    releasedCents: one.releasedCents + other.releasedCents,
    netCents: one.netCents + other.netCents,
    spends: one.spends + other.spends,
    releases: one.releases + other.releases,
  };
}

type Counting = Extract<Occurred<MandateFact>, { type: 'MandateSpent' | 'SpendReleased' | 'SpendRecovered' }>;

function counts(fact: Occurred<MandateFact>): fact is Counting {
  return fact.type === 'MandateSpent' || fact.type === 'SpendReleased' || fact.type === 'SpendRecovered';
}

/** What was counted in a period and in later ones, under a clock that ran ahead, counts in it. */
function gather(totals: Map<string, PeriodTotal>, period: string): void {
  totals.set(period, totalFrom(totals, period));
  for (const other of totals.keys()) if (other > period) totals.delete(other);
}

/** Of a period and all later ones together. */
export function totalFrom(totals: PeriodTotals, period: string): PeriodTotal {
  let sum = nothing;
  for (const [other, one] of totals) if (other >= period) sum = sumOf(sum, one);
  return sum;
}
