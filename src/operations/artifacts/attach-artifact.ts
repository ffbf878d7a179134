import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { PlacedEvent } from '../../../events/event.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { freshId } from '../../../events/ids.ts';
import type { JobFact } from '../../../events/job-events.ts';
import { jobDecider } from '../../../commands/job/job.ts';
import type { JobDocument } from '../../../projections/jobs.ts';
import { withRemoval } from '../../background/unnamed-blobs.ts';
import { changeJob } from '../jobs/change-job.ts';
import { exampleJobId, jobIdInput } from '../jobs/job-schema.ts';
import { agencyJob, wrongJobState } from '../jobs/read-job.ts';
import { commandCall, idempotencyMismatch } from '../idempotency.ts';
import { defineOperation, type KeyedCall, type Outcome } from '../operation.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import {
  type Artifact,
  artifactName,
  artifactSchema,
  exampleArtifact,
  MAX_ARTIFACT_BYTES,
  showArtifact,
} from './artifact-schema.ts';
import { withinBudget } from '../time-budget.ts';
import { overwriteConditions, unmetCondition } from './overwrite-conditions.ts';
import { sniffType } from './sniff-type.ts';

/** Digests are written in both cases; they are kept and compared in one. */
const anyCaseSha256 = z
  .string()
  .regex(/^[0-9A-Fa-f]{64}$/, 'must be 64 hexadecimal digits')
  .transform((text) => text.toLowerCase());

const inputSchema = z.strictObject({
  jobId: jobIdInput,
  name: artifactName,
  contentType: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'What the file is; checked against its first bytes.', example: 'text/csv' }),
  sha256: anyCaseSha256.optional().meta({
    description: 'SHA-256 of the bytes in hexadecimal: the file is refused if they arrive otherwise.',
    example: exampleArtifact.sha256,
  }),
  ...overwriteConditions,
});
type Input = z.output<typeof inputSchema>;

export const attachArtifact = defineOperation({
  name: 'attachArtifact',
  waits: true,
  summary: 'Deliver a file for a running job.',
  description:
    'The body is the file itself, at most 100 MiB, streamed. The same name again replaces the file; the same bytes ' +
    'again change nothing. What does not arrive whole leaves nothing. With If-None-Match: * nothing is replaced.',
  tag: 'provider',
  kind: 'command',
  scope: 'provider:fulfil',
  input: inputSchema,
  output: artifactSchema,
  refusals: [
    'not_found',
    'job_state',
    'conflict',
    'precondition_failed',
    'body_too_large',
    'unsupported_media_type',
    'idempotency_mismatch',
  ],
  example: { input: { jobId: exampleJobId, name: 'matches.csv' }, output: exampleArtifact },
  async run(input, call, services) {
    // Before the files are looked at: one that comes in between makes another number of it.
    const attachments = await attachmentsFor(input, call, services);
    const job = await agencyJob(withinBudget(services), input.jobId, call.caller);
    if ('ok' in job) return job;
    const before = await attachedBefore(job.id, call, services);
    if (before !== null && 'refusal' in before) return before;
    const fault = before === null ? faultOf(job, input) : null;
    if (fault !== null) return fault;
    const artifactId = freshId('artifact', call.at, randomUUID());
    const stored = await store(input, artifactId, call, services);
    if ('refusal' in stored) return stored;
    if (before !== null) {
      await services.blobs.remove(artifactId);
      return answerAgain(before, stored);
    }
    return attach(job, stored, attachments, call, withinBudget(services));
  },
});

/** How many files the job ever had, where that is a condition of this one; undefined where none is made. */
async function attachmentsFor(
  { jobId, ifMatch, ifNoneMatch }: Input,
  { at }: KeyedCall,
  services: Services,
): Promise<number | undefined> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  const { state } = await withinBudget(services).commands.load(jobDecider, jobId, at);
  return state.status === 'absent' ? 0 : state.attachments;
}

function faultOf({ status, artifacts }: JobDocument, input: Input): Refused | null {
  if (status !== 'running') return wrongJobState(status);
  const present = artifacts.find(({ name }) => name === input.name);
  return unmetCondition(input, present?.sha256 ?? null);
}

/** What the same command attached; null where it is a new one. Its condition holds no more, for it was done. */
async function attachedBefore(
  jobId: string,
  call: KeyedCall,
  services: Services,
): Promise<StoredArtifact | Refused | null> {
  if (call.requestHash === undefined) return null;
  const previous = await withinBudget(services).commands.findPrevious(jobDecider, jobId, commandCall(call));
  if (previous === null) return null;
  if (previous.kind === 'mismatch') return idempotencyMismatch();
  const attached = previous.events.find((event): event is AttachedEvent => event.type === 'ArtifactAttached');
  if (attached === undefined) throw new LogContradiction(`a file of ${jobId} was attached and is not there`);
  return attached.data;
}

/** The bytes are no part of the digest of a request, which is made before they come: what the log says of them is. */
function answerAgain(before: StoredArtifact, { sha256 }: StoredArtifact): Outcome<Artifact> {
  if (before.sha256 !== sha256) return idempotencyMismatch();
  return { ok: true, data: showArtifact(before), replayed: true };
}

type StoredArtifact = JobDocument['artifacts'][number];
type AttachedEvent = PlacedEvent<Extract<JobFact, { type: 'ArtifactAttached' }>>;

async function store(
  { jobId, name, contentType, sha256: announced }: Input,
  artifactId: string,
  { upload }: KeyedCall,
  { blobs, queue }: Services,
): Promise<StoredArtifact | Refused> {
  if (upload === undefined) throw new Error('an artifact was attached without its bytes');
  if ((upload.sizeBytes ?? 0) > MAX_ARTIFACT_BYTES) return tooLarge();
  const limits = { maxBytes: MAX_ARTIFACT_BYTES, sha256: announced ?? null };
  const bytes = withRemoval(queue, { key: artifactId, owner: { kind: 'job', jobId } }, upload.bytes);
  const put = await blobs.put(artifactId, bytes, limits).catch(onlyIfGone);
  if (put === null) return refuse('invalid_request', 'the body ended before its time');
  if (put.kind === 'too_large') return tooLarge();
  if (put.kind === 'other_bytes') {
    return refuse('invalid_request', 'the bytes that arrived are not those of X-Content-SHA256', {
      details: [{ path: 'X-Content-SHA256', message: `the bytes that arrived have ${put.sha256}` }],
    });
  }
  const { sizeBytes, sha256: hash, head } = put.blob;
  return { artifactId, name, contentType: sniffType(head, contentType ?? null), sizeBytes, sha256: hash };
}

/** The bytes are stored before the event that tells of them, and go again where it does not come to be. */
async function attach(
  { id, artifacts }: JobDocument,
  artifact: StoredArtifact,
  attachments: number | undefined,
  call: KeyedCall,
  services: Services,
): Promise<Outcome<Artifact>> {
  const known = artifacts.find(
    ({ name, sha256: hash }) => name === artifact.name && hash === artifact.sha256,
  );
  if (known !== undefined) {
    await services.blobs.remove(artifact.artifactId);
    return { ok: true, data: showArtifact(known) };
  }
  const condition = attachments === undefined ? {} : { attachments };
  const command = { type: 'AttachArtifact', artifact, ...condition } as const;
  const changed = await changeJob(services, id, command, commandCall(call));
  const kept = changed.ok ? changed.job.artifacts.find(({ name }) => name === artifact.name) : undefined;
  if (kept?.artifactId !== artifact.artifactId) await services.blobs.remove(artifact.artifactId);
  if (!changed.ok) return changed;
  // The same command was under way twice, and the other one came first.
  if (kept !== undefined && changed.replayed) return answerAgain(kept, artifact);
  return { ok: true, data: showArtifact(kept ?? artifact), replayed: changed.replayed };
}

function tooLarge(): Refused {
  return refuse('body_too_large', `a file may have at most ${MAX_ARTIFACT_BYTES / 1_024 / 1_024} MiB`);
}

/** Null where the sender went away: nothing is left, and nobody reads the answer. */
function onlyIfGone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') return null;
  throw error;
}
