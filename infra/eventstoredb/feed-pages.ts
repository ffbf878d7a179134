/** Makes pages of what one subscription on the server gives. */
import type { RecordedEvent } from '../../events/event.ts';
import { type EventPage, StoreUnavailable, type SubscribeOptions } from '../../events/event-store.ts';
import type { Connection } from './connection.ts';
import { decode } from './event-record.ts';
import { CallFailure } from './failures.ts';
import type { LogEnd } from './log-end.ts';
import type { EventStoreDbMarks } from './log-marks.ts';
import type { OwnEvents } from './own-events.ts';
import { fromText, isPlace, type LogPosition, toText } from './position.ts';
import type { PulledRead } from './pulled-read.ts';
import { bytesIn, type ReadAnswer, recordIn } from './server-record.ts';

/** Of pages of 500 most events outlive a collection of new garbage: following costs a fifth more CPU with them. */
const DEFAULT_PAGE_EVENTS = 100;
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
  readonly own: OwnEvents;
}

/** What a reader asks for. */
export interface PageWish extends Omit<SubscribeOptions, 'types'> {
  readonly types: ReadonlySet<string> | undefined;
}

/** How far a reader has come. */
export interface Progress {
  /** Everything up to here has been considered. */
  reached: string;
  /** Whether the server has taken the subscription up. */
  isConfirmed: boolean;
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
  answers: PulledRead,
  progress: Progress,
  { types, pageSize = DEFAULT_PAGE_EVENTS }: PageWish,
  isOver: () => boolean,
): Promise<EventPage | null> {
  if (isOver()) return null;
  const events: RecordedEvent[] = [];
  let chars = 0;
  let hasMoved = false;
  let hasLingered = false;
  for (let considered = 0; events.length < pageSize && considered < MAX_CONSIDERED;) {
    const answer = answers.take();
    if (answer === null) {
      if (isOver()) return null;
      const failure = answers.failure ?? (answers.isAtEnd ? endedInPeace() : undefined);
      // What was taken before the subscription ended goes out first: the next one begins after it.
      if (failure !== undefined && !hasMoved) throw failure;
      if (failure !== undefined) break;
      const isNews = progress.isLive ? hasMoved || !progress.isTold : hasMoved && hasLingered;
      if (isNews) return pageOf(log, { events, chars }, progress, progress.isLive);
      if (hasMoved) await answers.news(LINGER_MS);
      else await newsOrProof(log, answers, progress);
      hasLingered = hasMoved;
      continue;
    }
    considered += 1;
    hasLingered = false;
    const record = recordIn(answer);
    const position = record?.position ?? heedReport(answer, progress);
    // A subscription may begin a little further back, and give again what was given before.
    if (position === null || position <= progress.reached) continue;
    progress.reached = position;
    hasMoved = true;
    if (record === undefined || types?.has(record.type) === false) continue;
    events.push(log.own.take(record) ?? decode(log.prefix, record));
    chars += bytesIn(record);
  }
  return pageOf(log, { events, chars }, progress, false);
}

/** Heeds what the server says beside the events. Gives how far it has looked, others' events included, or null. */
function heedReport(answer: ReadAnswer, progress: Progress): string | null {
  if (answer.kind === 'confirmed') progress.isConfirmed = true;
  if (answer.kind === 'caught-up') progress.isLive = true;
  if (answer.kind === 'fell-behind') progress.isLive = false;
  // A server that has found nothing yet says that it looked at everything there will ever be.
  return answer.kind === 'looked' && isPlace(answer.position) ? toText(answer.position) : null;
}

function endedInPeace(): CallFailure {
  return new CallFailure('broken', 'the server ended a subscription');
}

function pageOf(
  { end, marks }: LogView,
  { events, chars }: Pick<EventPage, 'events' | 'chars'>,
  progress: Progress,
  caughtUp: boolean,
): EventPage {
  progress.isTold = caughtUp;
  const last = events.at(-1);
  if (last !== undefined) {
    end.note(fromText(last.position));
    marks.note(last);
  }
  return { events, chars, position: progress.reached, caughtUp };
}

/** Waits for news. A long silence is believed only where the log itself holds nothing that should have been said. */
async function newsOrProof(log: LogView, answers: PulledRead, progress: Progress): Promise<void> {
  const { deadlineMs } = log.connection;
  const patienceMs = progress.isConfirmed ? QUIET_DEADLINES * deadlineMs : deadlineMs;
  if (await answers.news(patienceMs)) return;
  if (!progress.isConfirmed)
    throw new CallFailure('silent', `no answer to a subscription within ${deadlineMs} ms`);
  const head = await endOf(log);
  if (head === undefined) return;
  if (head === null || toText(head) <= progress.reached) {
    progress.isLive = true;
    progress.due = null;
    return;
  }
  // What was there at the last asking has had the whole silence to arrive.
  if (progress.due !== null && toText(progress.due) > progress.reached)
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
