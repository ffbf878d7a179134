/** Makes pages of what one subscription on the server gives. */
import type { RecordedEvent } from '../../events/event.ts';
import { type EventPage, StoreUnavailable, type SubscribeOptions } from '../../events/event-store.ts';
import type { Connection } from './connection.ts';
import { decode } from './event-record.ts';
import { CallFailure } from './failures.ts';
import type { LogEnd } from './log-end.ts';
import type { EventStoreDbMarks } from './log-marks.ts';
import { compare, fromText, type LogPosition, toText } from './position.ts';
import type { SubscriptionFeed } from './subscription-feed.ts';

const DEFAULT_PAGE_EVENTS = 500;
/** A search for rare types gives a page after so many others, if an empty one, to say how far it came. */
const MAX_CONSIDERED = 2_000;
/** In catch-up a page waits so long for the next event to fill it. */
const LINGER_MS = 20;
/** After so many deadlines of a call without a word the log itself is asked whether there is nothing to say. */
const QUIET_DEADLINES = 1.5;

/** The log as its readers need it. */
export interface LogView {
  readonly connection: Connection;
  /** What the names of our streams begin with. */
  readonly prefix: string;
  readonly end: LogEnd;
  readonly marks: EventStoreDbMarks;
}

/** How far a reader has come. */
export interface Progress {
  /** Everything up to here has been considered. */
  reached: LogPosition;
  /** Whether everything that there was when it subscribed has been given. */
  isLive: boolean;
  /** Whether the reader has been told that nothing is left. */
  isTold: boolean;
  /** Where the log ended when it was last asked after a silence. */
  due: LogPosition | null;
}

/**
 * The next page; null when the reader left while it waited.
 * @throws {CallFailure} the subscription ended, or says nothing although there is something to say
 */
export async function nextPage(
  log: LogView,
  feed: SubscriptionFeed,
  progress: Progress,
  { types, pageSize = DEFAULT_PAGE_EVENTS }: SubscribeOptions,
  isOver: () => boolean,
): Promise<EventPage | null> {
  if (isOver()) return null;
  const { items } = feed;
  const events: RecordedEvent[] = [];
  let hasMoved = false;
  let hasLingered = false;
  for (let considered = 0; events.length < pageSize && considered < MAX_CONSIDERED;) {
    const item = items.take();
    if (item === null) {
      if (isOver()) return null;
      // What was taken before the subscription ended goes out first: the next one begins after it.
      if (items.failure !== undefined && !hasMoved) throw items.failure;
      if (items.failure !== undefined) break;
      const isNews = progress.isLive ? hasMoved || !progress.isTold : hasMoved && hasLingered;
      if (isNews) return pageOf(log, events, progress, progress.isLive);
      if (hasMoved) await items.news(LINGER_MS);
      else await newsOrProof(log, feed, progress);
      hasLingered = hasMoved;
      continue;
    }
    considered += 1;
    hasLingered = false;
    if ('kind' in item) {
      if (item.kind === 'looked') hasMoved = moveOn(progress, item.position) || hasMoved;
      else progress.isLive = item.kind === 'caught-up';
    } else if (item.event !== undefined && moveOn(progress, item.event.position)) {
      hasMoved = true;
      if (types === undefined || types.includes(item.event.type)) events.push(decode(log.prefix, item.event));
    }
  }
  return pageOf(log, events, progress, false);
}

function pageOf(
  { end, marks }: LogView,
  events: readonly RecordedEvent[],
  progress: Progress,
  caughtUp: boolean,
): EventPage {
  progress.isTold = caughtUp;
  const last = events.at(-1);
  if (last !== undefined) {
    end.note(fromText(last.position));
    marks.note(last);
  }
  const chars = events.reduce((sum, { data, meta }) => sum + JSON.stringify([data, meta]).length, 0);
  return { events, chars, position: toText(progress.reached), caughtUp };
}

/** False for what was given before: a subscription may begin a little further back. */
function moveOn(progress: Progress, position: LogPosition): boolean {
  if (compare(position, progress.reached) <= 0) return false;
  progress.reached = position;
  return true;
}

/** Waits for news. A long silence is believed only where the log itself holds nothing that should have been said. */
async function newsOrProof(
  log: LogView,
  { items, isConfirmed }: SubscriptionFeed,
  progress: Progress,
): Promise<void> {
  const { deadlineMs } = log.connection;
  const patienceMs = isConfirmed() ? QUIET_DEADLINES * deadlineMs : deadlineMs;
  if (await items.news(patienceMs)) return;
  if (!isConfirmed()) throw new CallFailure('silent', `no answer to a subscription within ${deadlineMs} ms`);
  const head = await endOf(log);
  if (head === undefined) return;
  if (head === null || compare(head, progress.reached) <= 0) {
    progress.isLive = true;
    progress.due = null;
    return;
  }
  // What was there at the last asking has had the whole silence to arrive.
  if (progress.due !== null && compare(progress.due, progress.reached) > 0)
    throw new CallFailure('silent', 'a subscription says nothing although the log goes on');
  progress.due = head;
}

/** Undefined when it cannot be told now. */
async function endOf({ end }: LogView): Promise<LogPosition | null | undefined> {
  try {
    return await end.find();
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}
