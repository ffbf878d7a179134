/**
 * Documents as they were read last, for those that nearly every request asks for: a key's holder, a listing. What this
 * process writes is forgotten by name; that another one wrote something shows by SQLite's `data_version`.
 */
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

const MAX_DOCUMENTS = 2_000;
const MAX_CHARS = 2_000_000;
/** What is remembered of a document that is not there: nothing is looked for as often as endpoints nobody has. */
const ABSENT = null;

export interface DocumentCache {
  /** The document, by `look` unless it is known. */
  readonly read: (
    generation: number,
    key: string,
    look: (key: string) => string | undefined,
  ) => string | undefined;
  /** This process writes it now. */
  readonly forget: (generation: number, key: string) => void;
  /** Somebody has been told how far the views are: from here on they are not to be older. */
  readonly doubt: () => void;
}

export function documentCache(db: Database): DocumentCache {
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
  const documents = new LRUCache<string, { readonly json: string | typeof ABSENT }>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARS,
    sizeCalculation: ({ json }) => 1 + (json?.length ?? 0),
  });
  let version: number | undefined;
  let isCertain = false;

  /** Once in a turn of the event loop: to ask costs as much as to read a document. */
  const makeCertain = (): void => {
    const now = dataVersion.get();
    if (now !== version) documents.clear();
    version = now;
    isCertain = true;
    setImmediate(() => {
      isCertain = false;
    });
  };

  return {
    read(generation, key, look) {
      if (!isCertain) makeCertain();
      const place = `${generation} ${key}`;
      const known = documents.get(place);
      if (known !== undefined) return known.json ?? undefined;
      const json = look(key);
      documents.set(place, { json: json ?? ABSENT });
      return json;
    },
    forget(generation, key) {
      documents.delete(`${generation} ${key}`);
    },
    doubt() {
      isCertain = false;
    },
  };
}
