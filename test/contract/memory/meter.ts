/** The Meter port in this process's memory: for tests, and as the model that the shared adapters are held to. */
import { isDeepStrictEqual } from 'node:util';
import { periodOf } from '../../../events/period.ts';
import { exceeds, laterTotals, usedOf, type UsageTotals } from '../../../events/usage-events.ts';
import {
  type AccountMonth,
  boundsOf,
  type Draw,
  type KnownMonth,
  type Meter,
  METERED_WINDOW_MS,
  type MeterReading,
  type Receipt,
} from '../../../src/ports/meter.ts';

interface Month {
  totals: UsageTotals;
  saved: UsageTotals;
  readonly refused: { minute: number; month: number };
}

/** When the requests of an account's last minute came, the oldest first, and when it ends. */
interface Minute {
  readonly times: number[];
  readonly atMs: number;
}

/** `now` is Unix time in milliseconds. */
export function createMemoryMeter(now: () => number = Date.now): Meter {
  /** By account: when the requests of its last minute came, the oldest first. */
  const minutes = new Map<string, number[]>();
  /** By account and period. */
  const months = new Map<string, Month & AccountMonth>();
  const uses: Receipt[] = [];

  const idOf = (accountId: string, period: string): string => `${accountId} ${period}`;

  function seed({ accountId, period, totals }: AccountMonth): void {
    const id = idOf(accountId, period);
    const known = months.get(id);
    if (known !== undefined) known.totals = laterTotals(known.totals, totals);
    else months.set(id, { accountId, period, totals, saved: totals, refused: { minute: 0, month: 0 } });
  }

  function monthOf(accountId: string, period: string, known: KnownMonth | null): Month | undefined {
    const month = months.get(idOf(accountId, period));
    if (month !== undefined && known?.period === period)
      month.totals = laterTotals(month.totals, known.totals);
    return month;
  }

  /** The last minute at `nowMs`. A clock that was set back by more than that has begun anew. */
  function minuteOf(accountId: string, nowMs: number): Minute {
    const known = minutes.get(accountId) ?? [];
    const newestMs = known.at(-1) ?? nowMs;
    const isOfAnotherTime = newestMs > nowMs + METERED_WINDOW_MS;
    const atMs = isOfAnotherTime ? nowMs : Math.max(nowMs, newestMs);
    const times = isOfAnotherTime ? [] : known.filter((ms) => ms > atMs - METERED_WINDOW_MS);
    minutes.set(accountId, times);
    return { times, atMs };
  }

  function readingOf({ times, atMs }: Minute, limit: number, period: string, month: Month): MeterReading {
    const nextToLeave = times[Math.max(0, times.length - limit)];
    const resetAtMs = nextToLeave === undefined ? atMs : nextToLeave + METERED_WINDOW_MS;
    return {
      nowMs: atMs,
      minute: { used: times.length, resetAtMs },
      month: { period, totals: month.totals },
      refused: { ...month.refused },
    };
  }

  return {
    async count(draw: Draw, known) {
      const { accountId, keyId, operation, allowance, costsQuota } = draw;
      const nowMs = now();
      const period = periodOf(new Date(nowMs).toISOString());
      const month = monthOf(accountId, period, known);
      if (month === undefined) return { kind: 'unseeded', period };
      const minute = minuteOf(accountId, nowMs);
      const isUsedUp = costsQuota && usedOf(month.totals) >= allowance.perMonth;
      const by = isUsedUp ? 'month' : minute.times.length >= allowance.perMinute ? 'minute' : null;
      if (by === null) {
        minute.times.push(minute.atMs);
        if (costsQuota) month.totals = { ...month.totals, counted: month.totals.counted + 1 };
      } else month.refused[by] += 1;
      const reading = readingOf(minute, allowance.perMinute, period, month);
      if (by !== null) return { kind: 'refused', by, reading };
      const receipt = { accountId, keyId, operation, period, countedAtMs: nowMs };
      if (costsQuota) uses.push(receipt);
      return { kind: 'counted', reading, receipt };
    },
    async giveBack(receipt) {
      const month = months.get(idOf(receipt.accountId, receipt.period));
      if (month !== undefined) month.totals = { ...month.totals, returned: month.totals.returned + 1 };
      const place = uses.findIndex((use) => isDeepStrictEqual(use, receipt));
      if (place !== -1) uses.splice(place, 1);
    },
    async read(accountId, { perMinute }, known) {
      const nowMs = now();
      const period = periodOf(new Date(nowMs).toISOString());
      const month = monthOf(accountId, period, known);
      if (month === undefined) return { kind: 'unseeded', period };
      return { kind: 'read', reading: readingOf(minuteOf(accountId, nowMs), perMinute, period, month) };
    },
    seed: async (month) => seed(month),
    async history({ accountId, fromMs, toMs, bucket, groupBy, limit }) {
      const requests = new Map<string, number>();
      for (const use of uses) {
        if (use.accountId !== accountId || use.countedAtMs < fromMs || use.countedAtMs >= toMs) continue;
        const [startMs] = boundsOf(bucket, use.countedAtMs);
        const id = `${startMs} ${groupBy === 'key' ? use.keyId : use.operation}`;
        requests.set(id, (requests.get(id) ?? 0) + 1);
      }
      return [...requests].slice(0, limit).map(([id, count]) => {
        const [startMs = '', group = ''] = id.split(' ');
        return { startMs: Number(startMs), group, requests: count };
      });
    },
    async unsaved(limit) {
      return [...months.values()]
        .filter(({ totals, saved }) => exceeds(totals, saved))
        .slice(0, limit)
        .map(({ accountId, period, totals }) => ({ accountId, period, totals }));
    },
    async saved(kept) {
      for (const { accountId, period, totals } of kept) {
        const month = months.get(idOf(accountId, period));
        if (month !== undefined) month.saved = laterTotals(month.saved, totals);
      }
    },
    async prune() {},
  };
}
