/** The credential of a job's record webhook: derived from the job and the key that asked, so that it is stored nowhere. */
import { type ActLink, openLink, signLink } from './act-link.ts';
import type { Signer } from '../signer.ts';

const UNSIGNED = 26;
const SHAPE = /^[0-9a-z]{26}[._][\w.-]{43,300}$/;
/** What a malformed token is checked as, so that it costs what every other costs. */
const NOBODY = `${'0'.repeat(UNSIGNED)}_${'A'.repeat(43)}`;

export function recordToken(link: ActLink & { readonly keyId: string }, signer: Signer): string {
  return `${link.jobId.slice('job_'.length)}.${signLink(signer, 'record-link', link)}`;
}

/** The link that the token is, or null; every token that is none of ours is refused after the same work. */
export function linkOfToken(token: string, signer: Signer): ActLink | null {
  const shaped = SHAPE.test(token) ? token : NOBODY;
  const jobId = `job_${shaped.slice(0, UNSIGNED)}`;
  return openLink(signer, 'record-link', jobId, shaped.slice(UNSIGNED + 1));
}
