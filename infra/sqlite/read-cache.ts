/**
 * What was read last: documents that nearly every request asks for, such as a key's holder, and the first pages of lists.
 * What this process writes is forgotten at once; that another one wrote something shows by SQLite's `data_version`.
 */
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Page, PageQuery } from '../../projections/view-store.ts';

const MAX_DOCUMENTS = 10_000;
const MAX_DOCUMENT_CHARS = 2_000_000;
const MAX_PAGES = 1_000;
/** What is made of a page, its text and the bytes of its answer, is kept as long as it is here: three times as much in all. */
const MAX_PAGE_CHARS = 2_000_000;
/** Of one of them: some hundred rows. */
const MAX_CHARS_OF_PAGE = 400_000;

export interface ReadCache {
  /** The document, by `look` unless it is known; undefined where there is none, which is remembered too. */
  readonly document: (
    generation: number,
    key: string,
    look: (key: string) => string | undefined,
  ) => string | undefined;
  /** The page, by `find` unless it is known. */
  readonly page: (generation: number, query: PageQuery, find: (query: PageQuery) => Page) => Page;
  /** The page, where it is known. */
  readonly known: (generation: number, query: PageQuery) => Page | undefined;
  /**
   * For a page that is found elsewhere from now on: gives what keeps it, unless something was written meanwhile; it tells
   * whether it did.
   */
  readonly expect: (generation: number, query: PageQuery) => (page: Page) => boolean;
  /** This process has written these documents. */
  readonly forget: (generation: number, keys: readonly string[]) => void;
}

interface CachedPage {
  readonly page: Page;
  /** How often its generation had been written to. */
  readonly writes: number;
}

/** @param version another one once another process has committed */
export function createReadCache(version: TurnVersion): ReadCache {
  const documents = new LRUCache<string, { readonly json: string | undefined }>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_DOCUMENT_CHARS,
    // Keys are what somebody sends.
    sizeCalculation: ({ json = '' }, place) => place.length + json.length,
  });
  const pages = new LRUCache<string, CachedPage>({
    max: MAX_PAGES,
    maxSize: MAX_PAGE_CHARS,
    maxEntrySize: MAX_CHARS_OF_PAGE,
    sizeCalculation: ({ page }, question) =>
      page.rows.reduce((chars, row) => chars + row.length, question.length),
  });
  const writes = new Map<number, number>();
  const writesOf = (generation: number): number => writes.get(generation) ?? 0;
  let seenVersion: number | undefined;

  const makeCertain = (): void => {
    const now = version.now();
    if (now === seenVersion) return;
    documents.clear();
    pages.clear();
    seenVersion = now;
  };
  /** What is read from the file now must not stand beside pages that are older: a position beside rows, for one. */
  const askAgain = (): void => {
    version.doubt();
    makeCertain();
  };

  const questionOf = (generation: number, query: PageQuery): string =>
    `${generation} ${JSON.stringify(query)}`;
  const pageKnown = (generation: number, question: string): Page | undefined => {
    makeCertain();
    const known = pages.get(question);
    return known?.writes === writesOf(generation) ? known.page : undefined;
  };

  return {
    document(generation, key, look) {
      makeCertain();
      const place = `${generation} ${key}`;
      const known = documents.get(place);
      if (known !== undefined) return known.json;
      askAgain();
      const json = look(key);
      documents.set(place, { json });
      return json;
    },
    page(generation, query, find) {
      const question = questionOf(generation, query);
      const known = pageKnown(generation, question);
      if (known !== undefined) return known;
      askAgain();
      const page = find(query);
      pages.set(question, { page, writes: writesOf(generation) });
      return page;
    },
    known: (generation, query) => pageKnown(generation, questionOf(generation, query)),
    expect(generation, query) {
      askAgain();
      const [asOf, before] = [seenVersion, writesOf(generation)];
      return (page) => {
        askAgain();
        if (seenVersion !== asOf || writesOf(generation) !== before) return false;
        pages.set(questionOf(generation, query), { page, writes: before });
        return true;
      };
    },
    forget(generation, keys) {
      if (keys.length > 0) writes.set(generation, writesOf(generation) + 1);
      for (const key of keys) documents.delete(`${generation} ${key}`);
    },
  };
}

/** SQLite's `data_version`, asked once in a turn of the event loop: to ask costs as much as to read a document. */
export interface TurnVersion {
  readonly now: () => number;
  /** Somebody is told how far the file is: what is read from here on is not to be older. */
  readonly doubt: () => void;
}

export function turnVersion(db: Database): TurnVersion {
  const ask = db.prepare<[], number>('PRAGMA data_version').pluck();
  let version = 0;
  let isCertain = false;
  const doubt = (): void => {
    isCertain = false;
  };
  return {
    now() {
      if (isCertain) return version;
      version = ask.get() ?? 0;
      isCertain = true;
      setImmediate(doubt);
      return version;
    },
    doubt,
  };
}
