/** The Meter port in Redis: one count for all processes, in one round trip. While Redis is away nothing is let through. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { UsageTotals } from '../../events/usage-events.ts';
import {
  type AccountMonth,
  type Allowance,
  boundsOf,
  type HistoryQuestion,
  type HistoryRow,
  type KnownMonth,
  type Meter,
  type MeterReading,
  MeterUnavailable,
} from '../../src/ports/meter.ts';
import type { RedisLink } from './link.ts';
import { COUNT, GIVE_BACK, SAVED, SEED, UNSAVED } from './meter-script.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** About so many are in one answer of Redis: whoever counts meanwhile waits for that and not for a whole hash. */
const FIELDS_AT_ONCE = 1_000;
/** Of HSCAN: the cursor to begin with, and the one that comes last. */
const FIRST_AND_LAST = '0';

const answerOfCount = z.union([
  z.tuple([z.literal('unseeded'), z.string()]),
  z
    .tuple([z.enum(['counted', 'minute', 'month', 'read']), z.string()])
    .rest(z.number())
    .transform(([outcome, period, ...numbers]) => ({ outcome, period, numbers })),
]);

const answerOfUnsaved = z.array(
  z.tuple([z.string(), z.number(), z.number()]).transform(([name, counted, returned]): AccountMonth => {
    const [accountId = '', period = ''] = name.split(' ');
    return { accountId, period, totals: { counted, returned } };
  }),
);

type Answer = z.output<typeof answerOfCount>;

export function redisMeter(link: RedisLink, prefix: string): Meter {
  const accountKey = (accountId: string): string => `${prefix}meter:${accountId}:`;
  const unsavedKey = `${prefix}meter-unsaved`;
  const scripts = {
    count: script(link, COUNT),
    giveBack: script(link, GIVE_BACK),
    seed: script(link, SEED),
    saved: script(link, SAVED),
    unsaved: script(link, UNSAVED),
  };

  async function ask(
    accountId: string,
    { perMinute, perMonth }: Allowance,
    [counts, costsQuota]: readonly [counts: boolean, costsQuota: boolean],
    known: KnownMonth | null,
    filedBy: string,
  ): Promise<Answer> {
    const totals: UsageTotals = known?.totals ?? { counted: 0, returned: 0 };
    const answer = await scripts.count(
      [accountKey(accountId), unsavedKey],
      [accountId, perMinute, perMonth, counts ? 1 : 0, costsQuota ? 1 : 0],
      [known?.period ?? '', totals.counted, totals.returned, filedBy],
    );
    return answerOfCount.parse(answer);
  }

  return {
    async count({ accountId, keyId, operation, allowance, costsQuota }, known) {
      const answer = await ask(accountId, allowance, [true, costsQuota], known, `${keyId} ${operation}`);
      if (Array.isArray(answer)) return { kind: 'unseeded', period: answer[1] };
      const { reading, secondMs } = readingIn(answer);
      if (answer.outcome === 'minute' || answer.outcome === 'month')
        return { kind: 'refused', by: answer.outcome, reading };
      const receipt = { accountId, keyId, operation, period: answer.period, countedAtMs: secondMs };
      return { kind: 'counted', reading, receipt };
    },
    async giveBack({ accountId, keyId, operation, period, countedAtMs }) {
      const hour = Math.floor(countedAtMs / HOUR_MS);
      await scripts.giveBack(
        [accountKey(accountId), unsavedKey],
        [accountId, period, hour, `${keyId} ${operation}`],
      );
    },
    async read(accountId, allowance, known) {
      const answer = await ask(accountId, allowance, [false, false], known, '');
      if (Array.isArray(answer)) return { kind: 'unseeded', period: answer[1] };
      return { kind: 'read', reading: readingIn(answer).reading };
    },
    async seed({ accountId, period, totals }) {
      await scripts.seed([accountKey(accountId) + period], [totals.counted, totals.returned]);
    },
    history: (question) => historyOf(link, accountKey(question.accountId), question),
    async unsaved(limit) {
      const months = await scripts.unsaved([unsavedKey], [`${prefix}meter:`, limit]);
      return answerOfUnsaved.parse(months);
    },
    async saved(months) {
      for (const { accountId, period, totals } of months)
        await scripts.saved([unsavedKey], [`${accountId} ${period}`, totals.counted + totals.returned]);
    },
    // Its keys end by themselves.
    async prune() {},
  };
}

function readingIn({ period, numbers }: Exclude<Answer, readonly unknown[]>): {
  readonly reading: MeterReading;
  readonly secondMs: number;
} {
  const [
    counted = 0,
    returned = 0,
    byMinute = 0,
    byMonth = 0,
    used = 0,
    resetAtMs = 0,
    nowMs = 0,
    secondMs = 0,
  ] = numbers;
  const reading = {
    nowMs,
    minute: { used, resetAtMs },
    month: { period, totals: { counted, returned } },
    refused: { minute: byMinute, month: byMonth },
  };
  return { reading, secondMs };
}

type Argument = string | number;
type Script = (keys: readonly string[], ...args: readonly (readonly Argument[])[]) => Promise<unknown>;

/** By its digest, which Redis forgets when it is restarted: then it is sent once more. */
function script(link: RedisLink, source: string): Script {
  const digest = createHash('sha1').update(source).digest('hex');
  return (keys, ...args) =>
    link.ask(MeterUnavailable, async (client) => {
      const given = [...keys, ...args.flat()];
      try {
        return await client.evalsha(digest, keys.length, ...given);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.eval(source, keys.length, ...given);
      }
    });
}

/** A part of a hash at a time, and not all at once: an account may have any number of keys. */
async function historyOf(
  link: RedisLink,
  accountKey: string,
  { fromMs, toMs, bucket, groupBy, limit }: HistoryQuestion,
): Promise<readonly HistoryRow[]> {
  const unitMs = bucket === 'hour' ? HOUR_MS : DAY_MS;
  const keys = bucket === 'hour' ? dayKeys(accountKey, fromMs, toMs) : monthKeys(accountKey, fromMs, toMs);
  const startOf = (number: string): number | null => {
    const atMs = Number(number) * unitMs;
    return atMs < fromMs || atMs >= toMs ? null : boundsOf(bucket, atMs)[0];
  };
  const rows = new Map<string, HistoryRow>();
  for (const key of keys) {
    const starts = new Map<string, number | null>();
    for await (const part of partsOf(link, key)) {
      for (const [field, count] of part) {
        const [number = '', keyId = '', operation = ''] = field.split(' ');
        let startMs = starts.get(number);
        if (startMs === undefined) starts.set(number, (startMs = startOf(number)));
        if (startMs === null || count <= 0) continue;
        const group = groupBy === 'key' ? keyId : operation;
        const place = `${startMs} ${group}`;
        const requests = (rows.get(place)?.requests ?? 0) + count;
        rows.set(place, { startMs, group, requests });
      }
    }
    if (rows.size >= limit) break;
  }
  return [...rows.values()].slice(0, limit);
}

type Part = readonly (readonly [field: string, count: number])[];

async function* partsOf(link: RedisLink, key: string): AsyncGenerator<Part> {
  // HSCAN may tell a field twice where the hash changes meanwhile.
  const told = new Set<string>();
  let cursor = FIRST_AND_LAST;
  do {
    const [next, found] = await link.ask(MeterUnavailable, (client) =>
      client.hscan(key, cursor, 'COUNT', FIELDS_AT_ONCE),
    );
    const part: (readonly [string, number])[] = [];
    for (let i = 0; i < found.length; i += 2) {
      const field = found[i] ?? '';
      if (told.has(field)) continue;
      told.add(field);
      part.push([field, Number(found[i + 1])]);
    }
    yield part;
    cursor = next;
  } while (cursor !== FIRST_AND_LAST);
}

/** Hours are kept by their day. */
function dayKeys(accountKey: string, fromMs: number, toMs: number): readonly string[] {
  const days = Math.max(0, Math.ceil(toMs / DAY_MS) - Math.floor(fromMs / DAY_MS));
  return Array.from({ length: days }, (_, i) => `${accountKey}hours:${Math.floor(fromMs / DAY_MS) + i}`);
}

/** Days are kept by their month. */
function monthKeys(accountKey: string, fromMs: number, toMs: number): readonly string[] {
  const keys: string[] = [];
  const from = new Date(fromMs);
  for (let month = Date.UTC(from.getUTCFullYear(), from.getUTCMonth()); month < toMs;) {
    const begins = new Date(month);
    keys.push(`${accountKey}days:${begins.toISOString().slice(0, 7)}`);
    month = Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1);
  }
  return keys;
}
