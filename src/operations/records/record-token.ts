/** The credential of a job's record webhook: derived from the job, so that it is stored nowhere. */
import type { Signer } from '../signer.ts';

const UNSIGNED = 26;
const SHAPE = /^[0-9a-z]{26}_[\w-]{43}$/;
/** What a malformed token is checked as, so that it costs what every other costs. */
const NOBODY = `${'0'.repeat(UNSIGNED)}_${'A'.repeat(43)}`;

export function recordToken(jobId: string, signer: Signer): string {
  return `${jobId.slice('job_'.length)}_${signer.sign('record-webhook', jobId)}`;
}

/** The job that the token belongs to, or null; every token that is none of ours is refused after the same work. */
export function jobOfToken(token: string, signer: Signer): string | null {
  const shaped = SHAPE.test(token) ? token : NOBODY;
  const jobId = `job_${shaped.slice(0, UNSIGNED)}`;
  const isOurs = signer.verify('record-webhook', jobId, shaped.slice(UNSIGNED + 1));
  return isOurs ? jobId : null;
}
