/** Follows our log at the reader's own pace, out of one subscription after another, as the server ends them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventPage, SubscribeOptions } from '../../events/event-store.ts';
import type { Connection } from './connection.ts';
import { CallFailure, failureOf, refusedFor, unavailable } from './failures.ts';
import { type LogView, nextPage, type PageWish, type Progress } from './feed-pages.ts';
import { BEGINNING, compare, fromText, type LogPosition, toText } from './position.ts';
import { readLogPage, unlessNoPlace } from './read-pages.ts';
import { pullRead } from './pulled-read.ts';
import { subscriptionRequest } from './read-requests.ts';

/** Readers are told of a failure that lasts for so many deadlines of a call; until then subscriptions are tried. */
const PATIENCE_DEADLINES = 2.5;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1_000;

/**
 * @throws {RangeError} `after` is no position of EventStoreDB, or beyond the end of the log
 * @throws {StoreUnavailable} no subscription could be had for a while
 */
export async function* subscribeToLog(
  log: LogView,
  options: SubscribeOptions,
): AsyncGenerator<EventPage, void> {
  const { after, signal } = options;
  const isOver = (): boolean => signal.aborted || log.connection.isClosed;
  const reached = after === null ? log.end.origin : fromText(after);
  const progress: Progress = {
    reached: toText(reached),
    isConfirmed: false,
    isLive: false,
    isTold: false,
    due: null,
  };
  const wish: PageWish = { ...options, types: options.types && new Set(options.types) };
  let failures = 0;
  let failingSinceMs = 0;
  while (!isOver()) {
    try {
      for await (const page of pagesOfOne(log, wish, progress, isOver)) {
        failures = 0;
        yield page;
      }
    } catch (error) {
      if (isOver()) return;
      const failure = failureOf(error);
      if (failures === 0) failingSinceMs = performance.now();
      failures += 1;
      const lastedMs = performance.now() - failingSinceMs;
      const isLasting = lastedMs >= PATIENCE_DEADLINES * log.connection.deadlineMs;
      if (failure.isPermanent) throw refusedFor(failure, log.connection.user, 'r', '$all');
      if (isLasting) throw unavailable(failure);
      await rest(Math.min(MAX_PAUSE_MS, Math.random() * FIRST_PAUSE_MS * 2 ** failures), signal);
    }
  }
}

/** The pages of one subscription on the server. @throws {CallFailure | StoreUnavailable} it came to an end */
async function* pagesOfOne(
  log: LogView,
  wish: PageWish,
  progress: Progress,
  isOver: () => boolean,
): AsyncGenerator<EventPage, void> {
  const { connection, prefix } = log;
  const after = await standingAt(connection, fromText(progress.reached));
  const answers = await pullRead(connection, subscriptionRequest(prefix, after));
  progress.isConfirmed = false;
  progress.isLive = false;
  progress.due = null;
  const wake = (): void => answers.wake();
  wish.signal.addEventListener('abort', wake);
  try {
    for (;;) {
      const page = await nextPage(log, answers, progress, wish, isOver);
      if (page === null) return;
      yield page;
    }
  } catch (error) {
    if (error instanceof CallFailure) connection.suspect(answers.line, error);
    throw error;
  } finally {
    wish.signal.removeEventListener('abort', wake);
    answers.close();
  }
}

/**
 * The position if an event stands there, else that of the last event before it. Servers take the next event for the one
 * at the position and begin after it: where others' events were scavenged, one of ours would be lost.
 * @throws {RangeError} the log does not reach so far
 */
async function standingAt(connection: Connection, position: LogPosition): Promise<LogPosition> {
  if (compare(position, BEGINNING) === 0) return BEGINNING;
  const at = await firstAt(connection, position);
  if (at !== undefined && compare(at, position) === 0) return position;
  // Servers also name the end of the log, where no event stands yet: with a prepare position of 0.
  if (at === undefined && position.prepare !== 0n)
    throw new RangeError(`the log ends before ${toText(position)}: was an older copy of it restored?`);
  const [before] = await readLogPage(connection, { direction: 'backwards', from: position, maxCount: 1 });
  return before?.position ?? BEGINNING;
}

/** Where the first event at or behind a position stands. @throws {RangeError} no event can stand at the position */
async function firstAt(connection: Connection, position: LogPosition): Promise<LogPosition | undefined> {
  const page = { direction: 'forwards', from: position, maxCount: 1 } as const;
  const found = await unlessNoPlace(readLogPage(connection, page));
  if (found !== null) return found[0]?.position;
  throw new RangeError(
    `${toText(position)} is no place in this log: it ends before, or is another one. Was a copy of it restored?`,
  );
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  // The only way in which a pause ends early is that nobody waits any more.
  await pause(ms, undefined, { signal }).catch(() => {});
}
