/**
 * Which searches may hold the event loop for long. What the words cost is told neither by FTS5 nor by how many documents
 * they find: so it is bounded by the documents there are, and remembered of words that were searched for.
 */
import { LRUCache } from 'lru-cache';

/** As long as a search may hold the event loop. */
const LONG_MS = 3;
/** Measured, for a document that has the word: it is looked up in each of the bands, and two lists are joined. */
const MS_FOR_WORD_OF_DOCUMENT = 0.0004;
const MAX_REMEMBERED = 1_000;

export interface SearchCosts {
  readonly mayBeLong: (words: readonly string[], documents: number) => boolean;
  /** A search for these words took so long. */
  readonly took: (words: readonly string[], ms: number) => void;
}

export function searchCosts(): SearchCosts {
  /** Words that once took long stay dear: where counts were remembered, the same search is cheap until they are not. */
  const isLong = new LRUCache<string, boolean>({ max: MAX_REMEMBERED });
  return {
    mayBeLong(words, documents) {
      if (words.length * documents * MS_FOR_WORD_OF_DOCUMENT <= LONG_MS) return false;
      return isLong.get(words.join(' ')) ?? true;
    },
    took(words, ms) {
      const key = words.join(' ');
      isLong.set(key, isLong.get(key) === true || ms > LONG_MS);
    },
  };
}
