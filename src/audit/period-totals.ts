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
  totals.set(
    period,
    fact.type === 'SpendReleased' ? released(before, amountCents) : spent(before, amountCents),
  );
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
  for (const [other, one] of totals) {
    if (other < period) continue;
    sum = {
      spentCents: sum.spentCents + one.spentCents,
      releasedCents: sum.releasedCents + one.releasedCents,
      netCents: sum.netCents + one.netCents,
      spends: sum.spends + one.spends,
      releases: sum.releases + one.releases,
    };
  }
  return sum;
}

function spent(total: PeriodTotal, cents: number): PeriodTotal {
  const { spentCents, netCents, spends } = total;
  return { ...total, spentCents: spentCents + cents, netCents: netCents + cents, spends: spends + 1 };
}

function released(total: PeriodTotal, cents: number): PeriodTotal {
  const { releasedCents, netCents, releases } = total;
  return {
    ...total,
    releasedCents: releasedCents + cents,
    netCents: netCents - cents,
    releases: releases + 1,
  };
}
