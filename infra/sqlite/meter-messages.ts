/**
 * How a request to be counted, and what came of it, are told from thread to thread: as flat lists, since to copy objects
 * costs more than to count.
 */
import type { Counted, Draw, KnownMonth, MeterReading } from '../../src/ports/meter.ts';

/** The last is Unix time of tests. */
export type DrawMessage = readonly [
  accountId: string,
  keyId: string,
  operation: string,
  costsQuota: boolean,
  perMinute: number,
  perMonth: number,
  knownPeriod: string | null,
  knownCounted: number,
  knownReturned: number,
  atMs: number | undefined,
];

export type CountedMessage = readonly [
  outcome: 'counted' | 'minute' | 'month' | 'unseeded',
  period: string,
  countedAtMs: number,
  nowMs: number,
  used: number,
  resetAtMs: number,
  counted: number,
  returned: number,
  refusedByMinute: number,
  refusedByMonth: number,
];

export function drawMessage(
  { accountId, keyId, operation, costsQuota, allowance }: Draw,
  known: KnownMonth | null,
  atMs: number | undefined,
): DrawMessage {
  const { perMinute, perMonth } = allowance;
  const { period = null, totals } = known ?? {};
  const { counted = 0, returned = 0 } = totals ?? {};
  return [accountId, keyId, operation, costsQuota, perMinute, perMonth, period, counted, returned, atMs];
}

export function knownIn(message: DrawMessage): KnownMonth | null {
  const [, , , , , , period, counted, returned] = message;
  return period === null ? null : { period, totals: { counted, returned } };
}

export function countedMessage(
  outcome: 'counted' | 'minute' | 'month',
  countedAtMs: number,
  { nowMs, minute, month, refused }: MeterReading,
): CountedMessage {
  const { counted, returned } = month.totals;
  const { used, resetAtMs } = minute;
  return [
    outcome,
    month.period,
    countedAtMs,
    nowMs,
    used,
    resetAtMs,
    counted,
    returned,
    refused.minute,
    refused.month,
  ];
}

export function unseededMessage(period: string): CountedMessage {
  return ['unseeded', period, 0, 0, 0, 0, 0, 0, 0, 0];
}

export function countedFrom(
  { accountId, keyId, operation }: Draw,
  [
    outcome,
    period,
    countedAtMs,
    nowMs,
    used,
    resetAtMs,
    counted,
    returned,
    byMinute,
    byMonth,
  ]: CountedMessage,
): Counted {
  if (outcome === 'unseeded') return { kind: 'unseeded', period };
  const reading = {
    nowMs,
    minute: { used, resetAtMs },
    month: { period, totals: { counted, returned } },
    refused: { minute: byMinute, month: byMonth },
  };
  if (outcome !== 'counted') return { kind: 'refused', by: outcome, reading };
  return { kind: 'counted', reading, receipt: { accountId, keyId, operation, period, countedAtMs } };
}
