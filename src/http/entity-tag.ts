/** Strong entity tags (RFC 9110 §8.8.3), so that a client need not fetch what it has. */
import { hash } from 'node:crypto';

/** The tag of an answer: its revision where it has one, else a hash of its text. */
export function entityTag(revision: string | undefined, text: string | Buffer): string {
  return revision === undefined ? `"${hash('sha1', text, 'hex').slice(0, 24)}"` : `"${revision}"`;
}

/** Whether an If-None-Match names this tag. The comparison is the weak one, as the RFC asks here. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
