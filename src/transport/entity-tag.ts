/** Strong entity tags (RFC 9110 §8.8.3), so that a client need not fetch what it has. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The tag of an answer: its revision where it has one, else a hash of its text. */
export function entityTag(revision: string | undefined, text: string | Buffer): string {
  return `"${revision ?? hash('sha1', text, 'hex').slice(0, 24)}"`;
}

/**
 * Views that remember what is read give the very same text again: to find its tag costs a thirtieth of making it. Where
 * they do not, a microsecond or two are lost.
 */
const storedTags = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 2_000_000,
  sizeCalculation: (_tag, text) => 1 + text.length,
});

/** The tag of an answer that is a stored text and nothing else. */
export function storedTag(text: string): string {
  const known = storedTags.get(text);
  if (known !== undefined) return known;
  const tag = entityTag(undefined, text);
  storedTags.set(text, tag);
  return tag;
}

/** Whether an If-None-Match names this tag. The comparison is the weak one, as the RFC asks here. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
