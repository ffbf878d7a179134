/**
 * Takes a record in, once for ever: each has a stream of its own in which only its first telling fits. Whoever tells
 * is known by the token, and by a signature where the job's owner demands one.
 */
import type { ExistingJob } from '../../../commands/job/job-state.ts';
import { countsOf } from '../../../commands/job/fulfil-job.ts';
import { jobDecider } from '../../../commands/job/job.ts';
import { secretsInForce } from '../../../commands/overlapping-secrets.ts';
import { recordDecider } from '../../../commands/record/record.ts';
import { canonicalJson } from '../../../events/canonical-json.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { sha256Hex } from '../../../events/hash-chain.ts';
import type { RecordText } from '../../../events/record-events.ts';
import { jobsProjection } from '../../../projections/jobs.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { wrongJobState } from '../jobs/read-job.ts';
import { actorOf, isVoid, recordsEndAt, linkOfToken } from '../jobs/act-link.ts';
import { idempotencyMismatch, privateCall } from '../idempotency.ts';
import type { Call, Outcome } from '../operation.ts';
import type { AccountCipher } from '../private-texts/account-cipher.ts';
import { ofRecord } from '../private-texts/private-texts.ts';
import { refuse, standsAt, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { isSigned, webhookSecrets } from '../standard-webhooks.ts';
import type { IngestedRecord, RecordInput } from './record-schema.ts';

/** For one job; the limiter's window is a minute. */
export const RECORDS_PER_MINUTE = 1_200;
/** A job that is read right after shows the record; where the view is slow, the answer does not wait for it. */
const VIEW_PATIENCE_MS = 500;
const HASH_DIGITS = 32;

export async function ingestRecord(
  input: RecordInput,
  call: Call,
  services: Services,
): Promise<Outcome<IngestedRecord>> {
  const link = linkOfToken(input.token, services.signer);
  if (link === null) return nothingHere();
  const { jobId } = link;
  const { state: job } = await services.commands.load(jobDecider, jobId, call.at);
  // The token is ours: the job was made.
  if (job.status === 'absent') throw new LogContradiction(`${jobId} has a link and is not there`);
  if (await isVoid(services, placeOf(job), link, call.at)) return nothingHere();
  const unsigned = signatureFault(job, input, call, services);
  if (unsigned !== null) return unsigned;
  // Counted only now: whoever has the address and not the secret must not use up what the job may take.
  const rate = await services.recordLimiter.take(jobId, RECORDS_PER_MINUTE, Date.parse(call.at));
  if (!rate.allowed) return tooMany(rate.resetMs);
  return stateFault(job, call.at) ?? append(job, input, call, services, actorOf('record-link', link));
}

function placeOf({ linkGeneration, draft: { accountId } }: ExistingJob) {
  return { linkGeneration, accountId };
}

function nothingHere(): Refused {
  return refuse('not_found', 'There is nothing at this address.');
}

function signatureFault(
  { recordSecrets, draft }: ExistingJob,
  { signatureId: id, signatureTimestamp: timestamp, signature }: RecordInput,
  { at, text = '' }: Call,
  { signer }: Services,
): Refused | null {
  if (recordSecrets.length === 0) return null;
  if (id === undefined || timestamp === undefined || signature === undefined) {
    return refuse('signature_invalid', 'posts for this job must be signed as Standard Webhooks says');
  }
  const nowSeconds = Math.floor(Date.parse(at) / 1_000);
  const isOne = secretsInForce(recordSecrets, at)
    .flatMap((version) => webhookSecrets(signer, 'record-secret', draft.jobId, version))
    .some((secret) => isSigned(secret, { id, timestamp, signature }, text, nowSeconds));
  if (isOne) return null;
  return refuse('signature_invalid', 'the signature is wrong, or more than five minutes old');
}

function stateFault(job: ExistingJob, at: string): Refused | null {
  const { status } = job;
  const recordsUntil = recordsEndAt(job);
  if (recordsUntil !== null && at > recordsUntil) {
    return refuse('job_state', `the job is ${status}, and its records were taken in until ${recordsUntil}`, {
      details: [...standsAt('status', status), ...standsAt('recordsUntil', recordsUntil)],
    });
  }
  const tookNone = status === 'draft' || status === 'cancelled' || status === 'expired';
  return tookNone ? wrongJobState(status) : null;
}

async function append(
  job: ExistingJob,
  input: RecordInput,
  call: Call,
  services: Services,
  actor: string,
): Promise<Outcome<IngestedRecord>> {
  const { draft } = job;
  const { jobId, agent, accountId } = draft;
  const { at, requestId } = call;
  const cipher = await services.privateTexts.cipherOf(accountId);
  if (cipher === null) return refuse('not_found', 'There is nothing at this address.');
  const told = recordText(input);
  const id = `${jobId}-${recordDigest(job, told, cipher).slice(0, HASH_DIGITS)}`;
  const streamId = streamIdOf(recordDecider, id);
  const text = cipher.encrypt(ofRecord(streamId), JSON.stringify(told));
  const outcome = await services.commands.run(
    recordDecider,
    id,
    { type: 'AssertRecord', record: { jobId, agent: agent.slug, ...countsOf(job), text } },
    privateCall({ at, requestId, actor, ...identityOf(call, id, draft, told) }, cipher),
  );
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  if (outcome.kind === 'accepted' && outcome.position !== null) {
    await services.projector.reached(jobsProjection.name, outcome.position, VIEW_PATIENCE_MS);
  }
  const replayed = outcome.kind === 'replayed' && call.requestHash !== undefined;
  const duplicate = !(replayed || (outcome.kind === 'accepted' && outcome.events.length > 0));
  const eventId = await firstEventId(services, streamId);
  const data = { jobId, recordId: told.recordId, eventId, duplicate };
  return { ok: true, data, accepted: !duplicate, replayed };
}

function recordText(input: RecordInput): RecordText {
  const { recordId, recordType = null, occurredAt = null, url = null, attributes = null } = input;
  return { recordId, recordType, occurredAt, url, attributes };
}

/** Names the record's stream. The records of a job keep to the names that were made when it was drafted. */
function recordDigest(
  { hasClearText }: ExistingJob,
  { recordId }: RecordText,
  cipher: AccountCipher,
): string {
  return hasClearText ? sha256Hex(recordId) : cipher.digest(recordId);
}

/**
 * Without an Idempotency-Key each telling of a record is the same command. With one, the request is what is told of the
 * record: a signature and its time are others whenever it is sent again.
 */
function identityOf(
  { commandId, requestHash }: Call,
  id: string,
  { jobId, agent }: ExistingJob['draft'],
  told: RecordText,
): { readonly commandId: string; readonly requestHash?: string } {
  if (requestHash === undefined) return { commandId: id };
  const request = { jobId, agent: agent.slug, ...told };
  return { commandId, requestHash: sha256Hex(canonicalJson(request)) };
}

async function firstEventId({ events }: Pick<Services, 'events'>, streamId: string): Promise<string> {
  for await (const { id } of events.read(streamId)) return id;
  throw new LogContradiction(`${streamId} was written and is not there`);
}

function tooMany(resetMs: number): Refused {
  return refuse('rate_limited', `at most ${RECORDS_PER_MINUTE} records a minute can be told of one job`, {
    retryAfterSeconds: resetMs / 1_000,
  });
}
