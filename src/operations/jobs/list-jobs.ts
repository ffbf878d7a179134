import { z } from 'zod';
import { slug } from '../../../events/common.ts';
import { idSchema } from '../../../events/ids.ts';
import { jobStatusSchema } from '../../../events/job-status.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { ViewBehind } from '../../../projections/view-store.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import {
  cursorField,
  hasTakenInTheLog,
  invalidCursor,
  limitField,
  listMeta,
  listOwn,
  MAX_PAGE_BYTES,
} from '../list-page.ts';
import { defineOperation, type KeyedCall, type KeyHolder, type Outcome } from '../operation.ts';
import { anyTime } from '../schemas/any-time.ts';
import type { Services } from '../services.ts';
import { exampleJob, type Job, jobSchema } from './job-schema.ts';
import { metadataOf, showJob, showJobWith } from './show-job.ts';
import { type JobPlace, placeOf, walkJobs } from './walk-jobs.ts';
import { nullableCountField } from '../../../projections/public-fields.ts';

/** So many jobs are looked at for one answer, and so much of them: the largest orders take a millisecond each. */
export const MAX_LOOKED_AT = 1_000;
export const MAX_LOOKED_AT_BYTES = 4 * 1_024 * 1_024;

const input = z.strictObject({
  status: jobStatusSchema.optional().meta({ description: 'Only jobs in this state.', example: 'draft' }),
  keyId: idSchema('apiKey').optional().meta({
    description: 'Only jobs that this key made.',
    example: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
  }),
  agent: slug.optional().meta({ description: 'Only jobs of this agent.', example: 'invoice-matcher' }),
  metadata: z
    .string()
    .max(600)
    .regex(/^.+:/s, 'must be a name and a value with a colon between them, such as costCentre:FIN-7')
    .optional()
    .meta({
      description:
        'Only jobs with this name and value among their metadata. Names may have colons of their own.',
      example: 'costCentre:FIN-7',
    }),
  createdFrom: anyTime
    .optional()
    .meta({ description: 'Only jobs made at this time or later.', example: '2026-11-01T00:00:00.000Z' }),
  createdBefore: anyTime
    .optional()
    .meta({ description: 'Only jobs made before this time.', example: '2026-12-01T00:00:00.000Z' }),
  limit: limitField,
  cursor: cursorField,
});
type Question = z.output<typeof input>;

export const listJobs = defineOperation({
  name: 'listJobs',
  summary: 'The jobs of your account, the newest first.',
  description:
    'It shows all that you were told before you asked, at whichever node. With `keyId`, `agent`, `metadata` or a time, ' +
    `jobs are looked at one by one, at most ${MAX_LOOKED_AT} or 4 MiB for one answer: a page may then hold fewer rows than ` +
    '`limit`, or none, while `nextCursor` goes on, and `total` is null.',
  tag: 'jobs',
  kind: 'query',
  scope: 'jobs:read',
  input,
  output: z.array(jobSchema),
  meta: listMeta.extend({
    total: nullableCountField('How many rows match in all; null where they were not counted.', 42),
  }),
  refusals: ['invalid_cursor'],
  example: { input: { status: 'draft', limit: 20 }, output: [exampleJob] },
  run: (question, call, services) =>
    isIndexed(question) ? listByIndex(question, call, services) : listByLooking(question, call, services),
});

function isIndexed({ keyId, agent, metadata, createdFrom, createdBefore }: Question): boolean {
  return [keyId, agent, metadata, createdFrom, createdBefore].every((one) => one === undefined);
}

function listByIndex(
  { limit, cursor, status }: Question,
  { caller }: KeyedCall,
  services: Services,
): Promise<Outcome<Job[]>> {
  const filter = { accountId: caller.accountId, status };
  const question = { view: jobsProjection.name, filter, order: '-createdAt', limit, cursor };
  return listOwn(services, question, (job: JobDocument) => showJob(job, services, caller));
}

async function listByLooking(
  question: Question,
  { caller }: KeyedCall,
  services: Services,
): Promise<Outcome<Job[]>> {
  const { limit, cursor, status, createdFrom: from, createdBefore: before } = question;
  const { accountId } = caller;
  const { keyId, agent, metadata } = question;
  const binding = { view: 'jobs looked at', accountId, status, keyId, agent, metadata, from, before };
  const after = cursor === undefined ? undefined : placeIn(cursor, binding);
  if (after === null) return invalidCursor();
  if (!(await hasTakenInTheLog(services, jobsProjection.name))) throw new ViewBehind(jobsProjection.name);
  const data: Job[] = [];
  const upTo = (place: JobPlace | null): Outcome<Job[]> => {
    const nextCursor = place && encodeCursor(place, binding);
    return { ok: true, data, meta: { limit, nextCursor, total: null } };
  };
  const lookedAt = { jobs: 0, bytes: 0 };
  let shownBytes = 0;
  let last: JobPlace | null = null;
  for await (const { job, row } of walkJobs(services, { accountId, status, from, before }, after)) {
    const isEnough = lookedAt.jobs === MAX_LOOKED_AT || lookedAt.bytes >= MAX_LOOKED_AT_BYTES;
    if (isEnough || data.length === limit) return upTo(last);
    const bytes = Buffer.byteLength(row);
    lookedAt.jobs += 1;
    lookedAt.bytes += bytes;
    const shown = await shownIfWanted(job, question, services, caller);
    if (shown !== null) {
      if (data.length > 0 && shownBytes + bytes > MAX_PAGE_BYTES) return upTo(last);
      shownBytes += bytes;
      data.push(shown);
    }
    last = placeOf(job);
  }
  return upTo(null);
}

async function shownIfWanted(
  job: JobDocument,
  { keyId, agent, metadata }: Question,
  services: Services,
  caller: KeyHolder,
): Promise<Job | null> {
  if ((keyId ?? job.keyId) !== job.keyId || (agent ?? job.agent.slug) !== job.agent.slug) return null;
  const notes = await metadataOf(job, services);
  return metadata === undefined || has(notes, metadata) ? showJobWith(job, notes, services, caller) : null;
}

function has(notes: Job['metadata'], pair: string): boolean {
  return Object.entries(notes).some(([name, value]) => `${name}:${value}` === pair);
}

/** Null for a cursor that is none of this question. */
function placeIn(cursor: string, binding: Readonly<Record<string, unknown>>): JobPlace | null {
  const [createdAt, jobId] = decodeCursor(cursor, binding) ?? [];
  return typeof createdAt === 'string' && typeof jobId === 'string' ? [createdAt, jobId] : null;
}
