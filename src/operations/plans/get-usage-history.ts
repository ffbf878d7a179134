import { z } from 'zod';
import { timestamp } from '../../../events/common.ts';
import { DAYS_KEPT_DAYS, HOURS_KEPT_DAYS, type HistoryRow } from '../../ports/meter.ts';
import { defineOperation } from '../operation.ts';
import { type Detail, refuse, type Refusal } from '../refusals.ts';
import { anyTime } from '../schemas/any-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS_BY_DEFAULT = 30;
/** In all buckets together: some hundred kilobytes. An account may have any number of keys. */
export const MAX_GROUPS = 10_000;

type Bucket = 'hour' | 'day' | 'month';

/** The first moment of the bucket that a time is in, and of the one after it. */
const STARTS: Readonly<Record<Bucket, (ms: number) => readonly [startMs: number, nextMs: number]>> = {
  hour: (ms) => [ms - (ms % HOUR_MS), ms - (ms % HOUR_MS) + HOUR_MS],
  day: (ms) => [ms - (ms % DAY_MS), ms - (ms % DAY_MS) + DAY_MS],
  month: (ms) => {
    const date = new Date(ms);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  },
};
const KEPT_DAYS: Readonly<Record<Bucket, number>> = {
  hour: HOURS_KEPT_DAYS,
  day: DAYS_KEPT_DAYS,
  month: DAYS_KEPT_DAYS,
};

const groupSchema = z
  .strictObject({
    name: z
      .string()
      .meta({ description: 'The id of the key, or the name of the operation.', example: 'listTools' }),
    requests: z.int().meta({ description: 'How many cost quota.', example: 17 }),
  })
  .meta({ id: 'UsageGroup', description: 'The requests of one key or operation.' });

const bucketSchema = z
  .strictObject({
    start: timestamp.meta({ description: 'When it begins, in UTC.', example: '2026-11-26T00:00:00.000Z' }),
    requests: z.int().meta({ description: 'How many cost quota.', example: 17 }),
    groups: z.array(groupSchema).meta({ description: 'Of those with any, in the order of their names.' }),
  })
  .meta({ id: 'UsageBucket', description: 'One hour, day or month.' });

type UsageBucket = z.output<typeof bucketSchema>;

export const getUsageHistory = defineOperation({
  name: 'getUsageHistory',
  summary: 'What your account has used, by hour, day or month.',
  description:
    'With the plans pro and enterprise. Requests that cost quota, without those that were given back, in UTC; hours, days ' +
    `and months without any are there with 0. Hours are kept for ${HOURS_KEPT_DAYS} days, days and months for ` +
    `${DAYS_KEPT_DAYS}. Of more than ${MAX_GROUPS} groups none is told: ask for less time, or for larger buckets. It costs ` +
    'no quota, and counts in the minute.',
  tag: 'data',
  kind: 'query',
  scope: 'data:read',
  metered: 'minute',
  input: z.strictObject({
    from: anyTime.optional().meta({
      description: `From the hour, day or month that this is in; ${DAYS_BY_DEFAULT} days before \`to\` if absent.`,
      example: '2026-11-26T00:00:00.000Z',
    }),
    to: anyTime.optional().meta({
      description: 'To before this; now if absent. What is under way then is told whole.',
      example: '2026-11-27T00:00:00.000Z',
    }),
    bucket: z
      .enum(['hour', 'day', 'month'])
      .default('day')
      .meta({ description: 'What one row sums up.', example: 'day' }),
    groupBy: z
      .enum(['key', 'operation'])
      .default('operation')
      .meta({ description: 'What the groups of a row are of.', example: 'operation' }),
  }),
  output: z.array(bucketSchema),
  refusals: [],
  example: {
    input: {
      from: '2026-11-26T00:00:00.000Z',
      to: '2026-11-27T00:00:00.000Z',
      bucket: 'day',
      groupBy: 'operation',
    },
    output: [
      { start: '2026-11-26T00:00:00.000Z', requests: 17, groups: [{ name: 'listTools', requests: 17 }] },
    ],
  },
  async run({ from, to, bucket, groupBy }, { caller, at }, { metering }) {
    const standing = await metering.standing(caller.accountId, at);
    if (standing?.plan.hasHistory !== true)
      return refuse('plan_required', 'The history of use comes with the plans pro and enterprise.');
    const toMs = Date.parse(to ?? at);
    const fromMs = STARTS[bucket](from === undefined ? toMs - DAYS_BY_DEFAULT * DAY_MS : Date.parse(from))[0];
    const refusal = refusalOf(fromMs, toMs, bucket, at);
    if (refusal !== null) return { ok: false, refusal };
    const rows = await metering.history({
      accountId: caller.accountId,
      fromMs,
      toMs: STARTS[bucket](toMs - 1)[1],
      bucket: bucket === 'hour' ? 'hour' : 'day',
      groupBy,
    });
    const buckets = zeroFilled(rows, bucket, fromMs, toMs);
    const groups = buckets.reduce((sum, one) => sum + one.groups.length, 0);
    return groups > MAX_GROUPS ? tooMany(groups) : { ok: true, data: buckets };
  },
});

function refusalOf(fromMs: number, toMs: number, bucket: Bucket, at: string): Refusal | null {
  const kept = KEPT_DAYS[bucket];
  // Whoever asks for all that is kept is to get it, in whichever hour of the day.
  const [oldestMs] = STARTS[bucket](Date.parse(at) - kept * DAY_MS);
  const details: Detail[] = [];
  if (fromMs >= toMs) details.push({ path: 'from', message: 'must be before to' });
  if (fromMs < oldestMs)
    details.push({ path: 'from', message: `must be within ${kept} days: older ${bucket}s are not kept` });
  if (toMs > Date.parse(at) + DAY_MS) details.push({ path: 'to', message: 'must not be in the future' });
  const [first] = details;
  if (first === undefined) return null;
  return refuse('invalid_request', `The request is not valid: ${first.path} ${first.message}.`, { details })
    .refusal;
}

function tooMany(groups: number) {
  const message = `leads to ${groups} groups, of which ${MAX_GROUPS} may be told at once`;
  return refuse('invalid_request', `The request ${message}: ask for less time, or for larger buckets.`, {
    details: [{ path: 'from', message, limit: `${MAX_GROUPS}`, value: `${groups}` }],
  });
}

function zeroFilled(
  rows: readonly HistoryRow[],
  bucket: Bucket,
  fromMs: number,
  toMs: number,
): UsageBucket[] {
  const byStart = new Map<number, Map<string, number>>();
  for (const { startMs, group, requests } of rows) {
    const [start] = STARTS[bucket](startMs);
    const groups = byStart.get(start) ?? new Map<string, number>();
    groups.set(group, (groups.get(group) ?? 0) + requests);
    byStart.set(start, groups);
  }
  const buckets: UsageBucket[] = [];
  for (let start = fromMs; start < toMs; start = STARTS[bucket](start)[1]) {
    const groups = [...(byStart.get(start) ?? [])]
      .map(([name, requests]) => ({ name, requests }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const requests = groups.reduce((sum, group) => sum + group.requests, 0);
    buckets.push({ start: new Date(start).toISOString(), requests, groups });
  }
  return buckets;
}
