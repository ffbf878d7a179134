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
  if (fact.type !== 'MandateSpent' && fact.type !== 'SpendReleased') return;
  const { period, amountCents } = fact.data;
  const before = totals.get(period) ?? nothing;
  totals.set(
    period,
    fact.type === 'MandateSpent' ? spent(before, amountCents) : released(before, amountCents),
  );
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
