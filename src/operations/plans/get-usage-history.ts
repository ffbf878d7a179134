import { z } from 'zod';
import {
  boundsOf,
  DAYS_KEPT_DAYS,
  type HistoryBucket,
  type HistoryRow,
  HOURS_KEPT_DAYS,
} from '../../ports/meter.ts';
import { defineOperation } from '../operation.ts';
import { type Detail, refuse, type Refusal } from '../refusals.ts';
import { anyTime } from '../schemas/any-time.ts';
import { countField, momentField, textField } from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';
import { createUnderWay } from '../under-way.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS_BY_DEFAULT = 30;
const underWay = createUnderWay('histories');
/** In all buckets together: some hundred kilobytes. An account may have any number of keys. */
export const MAX_GROUPS = 10_000;

const KEPT_DAYS: Readonly<Record<HistoryBucket, number>> = {
  hour: HOURS_KEPT_DAYS,
  day: DAYS_KEPT_DAYS,
  month: DAYS_KEPT_DAYS,
};

const groupSchema = z
  .strictObject({
    name: textField('The id of the key, or the name of the operation.', 'listTools'),
    requests: countField('How many cost quota.', 17),
  })
  .meta({ id: 'UsageGroup', description: 'The requests of one key or operation.' });

const bucketSchema = z
  .strictObject({
    start: momentField('When it begins, in UTC.', '2026-11-26T00:00:00.000Z'),
    requests: countField('How many cost quota.', 17),
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
    'no quota, and counts in the minute; of one account two are read at a time.',
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
    output: [exampleFrom(bucketSchema)],
  },
  async run({ from, to, bucket, groupBy }, { caller, at }, { metering }) {
    const usage = await metering.usage(caller.accountId, at);
    if (usage?.plan.hasHistory !== true)
      return refuse('plan_required', 'The history of use comes with the plans pro and enterprise.');
    const toMs = Date.parse(to ?? at);
    const fromMs = boundsOf(
      bucket,
      from === undefined ? toMs - DAYS_BY_DEFAULT * DAY_MS : Date.parse(from),
    )[0];
    const refusal = refusalOf(fromMs, toMs, bucket, at);
    if (refusal !== null) return { ok: false, refusal };
    const leave = underWay.begin(caller.accountId);
    if (typeof leave !== 'function') return leave;
    try {
      const rows = await metering.history({
        accountId: caller.accountId,
        fromMs,
        toMs: boundsOf(bucket, toMs - 1)[1],
        bucket,
        groupBy,
        limit: MAX_GROUPS + 1,
      });
      if (rows.length > MAX_GROUPS) return TOO_MANY;
      return { ok: true, data: zeroFilled(rows, bucket, fromMs, toMs) };
    } finally {
      leave();
    }
  },
});

const MANY = `leads to more than ${MAX_GROUPS} groups`;
const TOO_MANY = refuse('invalid_request', `The request ${MANY}: ask for less time, or for larger buckets.`, {
  details: [{ path: 'from', message: MANY, limit: `${MAX_GROUPS}` }],
});

function refusalOf(fromMs: number, toMs: number, bucket: HistoryBucket, at: string): Refusal | null {
  const kept = KEPT_DAYS[bucket];
  // Whoever asks for all that is kept is to get it, in whichever hour of the day.
  const [oldestMs] = boundsOf(bucket, Date.parse(at) - kept * DAY_MS);
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

function zeroFilled(
  rows: readonly HistoryRow[],
  bucket: HistoryBucket,
  fromMs: number,
  toMs: number,
): UsageBucket[] {
  const byStart = new Map<number, Map<string, number>>();
  for (const { startMs, group, requests } of rows) {
    const groups = byStart.get(startMs) ?? new Map<string, number>();
    groups.set(group, requests);
    byStart.set(startMs, groups);
  }
  const buckets: UsageBucket[] = [];
  for (let start = fromMs; start < toMs; start = boundsOf(bucket, start)[1]) {
    const groups = [...(byStart.get(start) ?? [])]
      .map(([name, requests]) => ({ name, requests }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const requests = groups.reduce((sum, group) => sum + group.requests, 0);
    buckets.push({ start: new Date(start).toISOString(), requests, groups });
  }
  return buckets;
}
