/** The worker behind page-reader.ts: it reads the views on a connection of its own, each page as of one moment. */
import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { ViewBeingBuilt, ViewsUnavailable } from '../../projections/view-store.ts';
import { closedOnFailure } from './connections.ts';
import { type LiveViews, liveViews } from './live-views.ts';
import type { PageAnswer, PageQuestion } from './page-questions.ts';
import { type ReadCache, turnVersion } from './read-cache.ts';
import { serveQuestions } from './serve-questions.ts';
import { answering } from './view-errors.ts';
import { generationTable } from './view-generations.ts';
import { whyOf } from './why.ts';

// Only page-reader.ts starts this worker, and it passes the path.
const path = workerData as string;

interface Opened {
  readonly db: Database.Database;
  readonly live: LiveViews;
  /** What another connection has written is to be seen. */
  readonly doubt: () => void;
}

let opened: Opened | undefined;

/** The event loop remembers pages, for all who ask. */
const NOTHING_REMEMBERED: ReadCache = {
  document: (_generation, key, look) => look(key),
  page: (_generation, query, find) => find(query),
  known: () => undefined,
  expect: () => () => false,
  forget: () => undefined,
};

function open(): Opened {
  return closedOnFailure(new Database(path, { readonly: true, fileMustExist: true }), (db) => {
    const version = turnVersion(db);
    const parts = { generations: generationTable(db), cache: NOTHING_REMEMBERED, version };
    // Whether the file is in its place is looked at by whoever asks.
    return { db, live: liveViews(db, { ...parts, assertInPlace: () => undefined }), doubt: version.doubt };
  });
}

function find({ view, query, today }: PageQuestion): PageAnswer {
  const startedMs = performance.now();
  const { db, live, doubt } = answering(() => (opened ??= open()));
  if (today !== undefined) live.declare([today]);
  const read = db.transaction(() => {
    doubt();
    return { page: live.page(view, query), generation: live.generation(view) };
  });
  const found = answering(() => read());
  return { kind: 'found', found: { ...found, tookMs: performance.now() - startedMs } };
}

function answerTo(question: PageQuestion): PageAnswer {
  try {
    return find(question);
  } catch (error) {
    if (error instanceof ViewBeingBuilt) return { kind: 'being-built' };
    // What was asked fitted the generation that was live then: since then another one is.
    const isAway = error instanceof ViewsUnavailable || error instanceof RangeError;
    return { kind: isAway ? 'unavailable' : 'bug', message: whyOf(error) };
  }
}

serveQuestions(answerTo, () => opened?.db.close());
