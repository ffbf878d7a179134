/**
 * A group reads the log once for several generations. It starts where the one that is least far stands; each takes in
 * only what it has not seen. What their documents become is committed together: after each page when they are up to
 * date, after many when they have far to go.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventPage, EventStore } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { LogMark } from '../../events/log-mark.ts';
import type { AnyProjection } from '../../projections/projection.ts';
import type { StuckAt, ViewStore, ViewWrite } from '../../projections/view-store.ts';
import { createTimeSlice } from '../timing/time-slice.ts';
import { foldPage, type Poison } from './fold-page.ts';
import { createDocumentBuffer, type DocumentBuffer } from './document-buffer.ts';

/** Documents are several times larger in memory than their JSON: this bounds the memory of a group. */
const CHARS_FOR_EACH_DOCUMENT = 2_000;

/** A generation that is followed. */
export interface GenerationCursor {
  readonly projection: AnyProjection;
  readonly generation: number;
  live: boolean;
  /** What is committed. */
  checkpoint: string | null;
  /** What is taken in. */
  reached: string | null;
  readonly buffer: DocumentBuffer;
  readonly skipped: ReadonlySet<string>;
  /** Whether each event's documents are checked at once: so it goes on after some could not be written. */
  isCareful: boolean;
  /** Where the log ended when everything else was ready for this generation to go live; null before. */
  endedAt: string | null;
  /** Whether it has been at the end of the log since it was followed. */
  isAtEnd: boolean;
}

export type Phase =
  /** Has not seen the end of the log. */
  | 'behind'
  /** Has seen it, but the live generation of one that is built beside it is still further. */
  | 'swapping'
  /** Has seen it, and all it feeds is live. */
  | 'current';

export interface SubscriptionGroup {
  readonly cursors: Set<GenerationCursor>;
  phase: Phase;
  /** Ends it at the next page boundary. */
  readonly leave: AbortController;
}

export interface GroupWork {
  readonly store: EventStore;
  readonly views: ViewStore;
  readonly decode: (recorded: RecordedEvent) => RecordedEvent;
  readonly pageSize: number;
  /** A group that is behind commits when about so many documents have changed. */
  readonly batchDocuments: () => number;
  readonly now: () => number;
  /** Its checkpoint has moved on. */
  readonly onMoved: (cursor: GenerationCursor) => void;
  /** It left the group, since it stands still. */
  readonly onStuck: (cursor: GenerationCursor) => void;
  /** It left the group, since somebody else has moved its generation. */
  readonly onRefused: (cursor: GenerationCursor) => void;
  /** It left the group, since some document cannot be written: an event among those taken in is to blame. */
  readonly onUnwritable: (cursor: GenerationCursor) => void;
  /** The group is at the end of the log or was just now, between pages. */
  readonly onEnd: (group: SubscriptionGroup) => Promise<void>;
}

export function cursorOf(
  projection: AnyProjection,
  place: Pick<GenerationCursor, 'generation' | 'live' | 'checkpoint' | 'skipped' | 'isCareful'>,
): GenerationCursor {
  const buffer = createDocumentBuffer(projection);
  return { ...place, projection, buffer, reached: place.checkpoint, endedAt: null, isAtEnd: false };
}

/**
 * At the end of the log it rests for so long, and takes in together what was appended meanwhile: a commit costs far more
 * than one event more in it. Whoever waits for a view waits no longer than people notice.
 */
const REST_MS = 20;

/** Runs until the group is left or empty. @throws what the stores throw: how far the cursors came is then unknown */
export async function runSubscriptionGroup(group: SubscriptionGroup, work: GroupWork): Promise<void> {
  const pages = work.store.subscribe({
    after: startOf(group.cursors),
    types: [...new Set([...group.cursors].flatMap((cursor) => Object.keys(cursor.projection.on)))],
    pageSize: work.pageSize,
    signal: group.leave.signal,
  });
  for await (const page of pages) {
    const poisons = await takePage(group, page, work);
    const isAtEnd = page.caughtUp || group.phase !== 'behind';
    if (isAtEnd || poisons.size > 0 || isFull(group, work.batchDocuments())) {
      await commit(group, poisons, work);
      if (isAtEnd && group.cursors.size > 0) await work.onEnd(group);
    }
    if (group.cursors.size === 0 || group.leave.signal.aborted) break;
    if (page.caughtUp) await pause(REST_MS);
  }
  await commit(group, new Map(), work);
}

async function takePage(
  group: SubscriptionGroup,
  page: EventPage,
  { views, ...work }: GroupWork,
): Promise<ReadonlyMap<GenerationCursor, Poison>> {
  const decode = decodingOnce(work.decode);
  const slice = createTimeSlice();
  const poisons = new Map<GenerationCursor, Poison>();
  for (const [cursor, events] of freshFor(group.cursors, page)) {
    const { projection, generation, buffer, reached, isCareful } = cursor;
    const load = (keys: readonly string[]) => views.load(projection.name, generation, keys);
    const poison = await foldPage(projection, events, buffer, { decode, load, slice, isCareful });
    cursor.reached = placeAfter(page, poison, reached);
    if (poison !== null) poisons.set(cursor, poison);
  }
  return poisons;
}

/** The events of the page that each cursor handles and has not seen. */
function freshFor(
  cursors: ReadonlySet<GenerationCursor>,
  page: EventPage,
): ReadonlyMap<GenerationCursor, readonly RecordedEvent[]> {
  const fresh = new Map<GenerationCursor, RecordedEvent[]>();
  const handling = new Map<string, (readonly [GenerationCursor, RecordedEvent[]])[]>();
  for (const cursor of cursors) {
    const events: RecordedEvent[] = [];
    fresh.set(cursor, events);
    for (const type of Object.keys(cursor.projection.on)) {
      const handlers = handling.get(type) ?? [];
      handlers.push([cursor, events]);
      handling.set(type, handlers);
    }
  }
  for (const event of page.events) {
    for (const [{ reached, skipped }, events] of handling.get(event.type) ?? []) {
      if (isAfter(event.position, reached) && !skipped.has(event.id)) events.push(event);
    }
  }
  return fresh;
}

async function commit(
  group: SubscriptionGroup,
  poisons: ReadonlyMap<GenerationCursor, Poison>,
  work: GroupWork,
): Promise<void> {
  const written = new Map<GenerationCursor, readonly ViewWrite[]>();
  for (const cursor of group.cursors) {
    const writes = writesOf(cursor);
    if (writes !== null) written.set(cursor, writes);
    else if (group.cursors.delete(cursor)) work.onUnwritable(cursor);
  }
  const moved = [...written].filter(([{ checkpoint, reached }]) => reached !== checkpoint);
  const marks = await marksAt(
    work.store,
    moved.map(([{ reached }]) => reached),
  );
  const commits = moved.flatMap(([{ projection, generation, checkpoint, reached }, writes]) => {
    if (reached === null) return [];
    const mark = marks.get(reached) ?? null;
    const step = { view: projection.name, generation, from: checkpoint, to: reached, writes };
    return [mark === null ? step : { ...step, mark }];
  });
  const refused = commits.length === 0 ? [] : await work.views.commit(commits);
  for (const [cursor, writes] of written) {
    // It may have been swapped for another while this was committed.
    if (!group.cursors.has(cursor)) continue;
    if (refused.includes(cursor.projection.name)) {
      group.cursors.delete(cursor);
      work.onRefused(cursor);
      continue;
    }
    settle(cursor, writes, group, work);
    const poison = poisons.get(cursor);
    if (poison === undefined) continue;
    group.cursors.delete(cursor);
    await work.views.setStuck(cursor.projection.name, cursor.generation, stuckAt(poison, work.now()));
    work.onStuck(cursor);
  }
}

/** Nearly all cursors are at one place. */
async function marksAt(
  { marks }: EventStore,
  positions: readonly (string | null)[],
): Promise<ReadonlyMap<string, LogMark | null>> {
  const found = new Map<string, LogMark | null>();
  for (const position of positions)
    if (position !== null && !found.has(position)) found.set(position, await marks.at(position));
  return found;
}

function settle(
  cursor: GenerationCursor,
  writes: readonly ViewWrite[],
  { cursors }: SubscriptionGroup,
  { batchDocuments, onMoved }: GroupWork,
): void {
  const documents = batchDocuments();
  cursor.buffer.settle(writes, { documents, chars: (documents * CHARS_FOR_EACH_DOCUMENT) / cursors.size });
  if (cursor.checkpoint === cursor.reached) return;
  cursor.checkpoint = cursor.reached;
  onMoved(cursor);
}

/** Null when the projection fails over a finished document. */
function writesOf({ buffer }: GenerationCursor): readonly ViewWrite[] | null {
  try {
    return buffer.writes();
  } catch {
    return null;
  }
}

function isFull({ cursors }: SubscriptionGroup, batchDocuments: number): boolean {
  let documents = 0;
  let chars = 0;
  for (const { buffer } of cursors) {
    const changed = buffer.changed();
    documents += changed.documents;
    chars += changed.chars;
  }
  return documents >= batchDocuments || chars >= batchDocuments * CHARS_FOR_EACH_DOCUMENT;
}

/** Where the cursor stands after the page: at its end, or just before the event it cannot take. */
function placeAfter(page: EventPage, poison: Poison | null, reached: string | null): string | null {
  if (poison === null) return isAfter(page.position, reached) ? page.position : reached;
  const before = page.events.findLast((event) => event.position < poison.event.position)?.position ?? null;
  return before !== null && isAfter(before, reached) ? before : reached;
}

function stuckAt({ event, error }: Poison, nowMs: number): StuckAt {
  return {
    position: event.position,
    eventId: event.id,
    error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    at: new Date(nowMs).toISOString(),
  };
}

function startOf(cursors: ReadonlySet<GenerationCursor>): string | null {
  let start: string | null = null;
  for (const { checkpoint } of cursors) {
    if (checkpoint === null) return null;
    if (start === null || checkpoint < start) start = checkpoint;
  }
  return start;
}

function isAfter(position: string, reached: string | null): boolean {
  return reached === null || position > reached;
}

/** Several views take in the same event: it is parsed for the first of them, and fails for all alike. */
function decodingOnce(
  decode: (recorded: RecordedEvent) => RecordedEvent,
): (recorded: RecordedEvent) => RecordedEvent {
  const decoded = new Map<RecordedEvent, RecordedEvent>();
  return (recorded) => {
    const known = decoded.get(recorded);
    if (known !== undefined) return known;
    const event = decode(recorded);
    decoded.set(recorded, event);
    return event;
  };
}
