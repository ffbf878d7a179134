import { z } from 'zod';
import { cents } from '../../../events/common.ts';
import { periodOf, periodSchema } from '../../../events/period.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { ViewBehind } from '../../../projections/view-store.ts';
import { hasTakenInTheLog } from '../list-page.ts';
import { defineOperation, type Outcome } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { withinBudget } from '../time-budget.ts';
import { createReadBudget } from '../read-budget.ts';
import { createUnderWay } from '../under-way.ts';
import { walkJobs } from './walk-jobs.ts';
import { countField, textField } from '../../../projections/public-fields.ts';

/** Some two seconds of one process; a day has a form of its own. */
const MAX_JOBS = 100_000;
const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const underWay = createUnderWay('sums');
/** Some ten months with 40,000 jobs: two to three seconds of one process. */
export const SUMMED_BYTES_PER_MINUTE = 512 * 1_024 * 1_024;
const budget = createReadBudget('sums', SUMMED_BYTES_PER_MINUTE);

const GROUPS = {
  agent: (job: JobDocument) => job.agent.slug,
  key: (job: JobDocument) => job.keyId,
  day: (job: JobDocument) => job.createdAt.slice(0, 10),
  status: (job: JobDocument) => job.status,
} as const;

const sums = {
  jobs: countField('How many jobs were made.', 3),
  spentCents: cents.meta({ description: 'What they cost, in cents.', example: 5_700 }),
  releasedCents: cents.meta({
    description: 'Of that: of drafts that were cancelled or expired, and so given back to the mandate.',
    example: 1_900,
  }),
  refundedCents: cents.meta({
    description: 'Of that: of jobs that an operator refunded. It stays counted against the mandate.',
    example: 0,
  }),
  countedCents: cents.meta({ description: 'spentCents without releasedCents.', example: 3_800 }),
};
const sumsSchema = z.strictObject(sums);
type Sums = z.output<typeof sumsSchema>;
type Group = { readonly group: string } & Sums;

const exampleSums: Sums = {
  jobs: 3,
  spentCents: 5_700,
  releasedCents: 1_900,
  refundedCents: 0,
  countedCents: 3_800,
};

const periodInput = z
  .string()
  .refine((text) => periodSchema.safeParse(text).success || isDay(text), {
    message: 'must be a month such as 2026-11 or a day such as 2026-11-27',
  })
  .optional()
  .meta({ description: 'A month or a day (UTC); this month if absent.', example: '2026-11' });

export const getSpending = defineOperation({
  name: 'getSpending',
  summary: 'What your account spent, summed by agent, key, day or status.',
  description:
    'Of the jobs that were made in the period, in whole cents, groups in the order of their names. It shows all that ' +
    `you were told before you asked. A period with more than ${MAX_JOBS} jobs is refused: ask for its days. Sums ` +
    'over very many jobs are made a few times in a minute.',
  tag: 'jobs',
  kind: 'query',
  waits: true,
  scope: 'jobs:read',
  input: z.strictObject({
    groupBy: z
      .enum(['agent', 'key', 'day', 'status'])
      .default('agent')
      .meta({ description: 'What one row sums up.', example: 'agent' }),
    period: periodInput,
  }),
  output: z.array(
    z
      .strictObject({
        group: textField('The agent’s slug, the key’s id, the day (UTC) or the status.', 'invoice-matcher'),
        ...sums,
      })
      .meta({ id: 'SpendingGroup', description: 'The spends of one group.' }),
  ),
  meta: z.strictObject({
    period: textField('The month or day.', '2026-11'),
    total: sumsSchema.meta({ id: 'SpendingSums', description: 'Of all groups together.' }),
  }),
  refusals: ['conflict', 'rate_limited'],
  example: {
    input: { groupBy: 'agent' as const, period: '2026-11' },
    output: [{ group: 'invoice-matcher', ...exampleSums }],
  },
  async run({ groupBy, period }, call, services): Promise<Outcome<Group[]>> {
    const { accountId } = call.caller;
    const refusal = budget.refusal(accountId);
    if (refusal !== null) return refusal;
    const leave = underWay.begin(accountId);
    if (typeof leave !== 'function') return leave;
    let read = 0;
    try {
      if (!(await hasTakenInTheLog(withinBudget(services), jobsProjection.name)))
        throw new ViewBehind(jobsProjection.name);
      const asked = period ?? periodOf(call.at);
      const groups = new Map<string, Sums>();
      const total = nothing();
      for await (const { job, row } of walkJobs(services, { accountId, ...boundsOf(asked) })) {
        // Nearly all of it is base64, of one byte each.
        read += row.length;
        // Nobody is there to be answered.
        if (call.signal.aborted) break;
        if (total.jobs === MAX_JOBS)
          return refuse('conflict', `${asked} has more than ${MAX_JOBS} jobs: ask for its days`);
        const group = GROUPS[groupBy](job);
        const sum = groups.get(group) ?? nothing();
        groups.set(group, sum);
        for (const one of [sum, total]) count(one, job);
      }
      const answer = { ok: true, data: inOrder(groups), meta: { period: asked, total } } as const;
      return (await call.refusalNow?.()) ?? answer;
    } finally {
      budget.spend(accountId, read);
      leave();
    }
  },
});

function inOrder(groups: ReadonlyMap<string, Sums>): Group[] {
  const data = [...groups].map(([group, sum]) => ({ group, ...sum }));
  return data.sort((a, b) => (a.group < b.group ? -1 : 1));
}

function nothing(): Sums {
  return { jobs: 0, spentCents: 0, releasedCents: 0, refundedCents: 0, countedCents: 0 };
}

function count(sum: Sums, { amountCents, status }: JobDocument): void {
  const isReleased = status === 'cancelled' || status === 'expired';
  sum.jobs += 1;
  sum.spentCents += amountCents;
  if (isReleased) sum.releasedCents += amountCents;
  else sum.countedCents += amountCents;
  if (status === 'refunded') sum.refundedCents += amountCents;
}

function boundsOf(period: string): { readonly from: string; readonly before: string } {
  const from = new Date(`${period.padEnd('2026-11-01'.length, '-01')}T00:00:00.000Z`);
  const before = new Date(from);
  if (isDay(period)) before.setUTCDate(before.getUTCDate() + 1);
  else before.setUTCMonth(before.getUTCMonth() + 1);
  return { from: from.toISOString(), before: before.toISOString() };
}

function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const time = new Date(`${text}T00:00:00.000Z`);
  // JavaScript takes 30 February for 2 March.
  return time.toISOString().startsWith(text);
}
