/**
 * A lane reads the log once for several generations. It starts where the one that is least far stands; each takes in
 * only what it has not seen. What their documents become is committed together: after each page when they are up to
 * date, after many when they have far to go.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventPage, EventStore } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { LogMark } from '../../events/log-mark.ts';
import type { Projection } from '../../projections/projection.ts';
import type { StuckAt, ViewStore, ViewWrite } from '../../projections/view-store.ts';
import { breathing } from './breath.ts';
import { foldPage, type Poison } from './fold-page.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Documents are several times larger in memory than their JSON: this bounds the memory of a lane. */
const CHARS_FOR_EACH_DOCUMENT = 2_000;

/** A generation that is followed. */
export interface Track<Event extends RecordedEvent> {
  readonly projection: Projection<unknown, Event>;
  readonly generation: number;
  live: boolean;
  /** What is committed. */
  checkpoint: string | null;
  /** What is taken in. */
  reached: string | null;
  readonly workspace: Workspace;
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
  | 'overtaking'
  /** Has seen it, and all it feeds is live. */
  | 'current';

export interface Lane<Event extends RecordedEvent> {
  readonly tracks: Set<Track<Event>>;
  phase: Phase;
  /** Ends it at the next page boundary. */
  readonly leave: AbortController;
}

export interface LaneWork<Event extends RecordedEvent> {
  readonly store: EventStore;
  readonly views: ViewStore;
  readonly decode: (recorded: RecordedEvent) => Event;
  readonly pageSize: number;
  /** A lane that is behind commits when about so many documents have changed. */
  readonly batchDocuments: () => number;
  readonly now: () => number;
  /** Its checkpoint has moved on. */
  readonly onMoved: (track: Track<Event>) => void;
  /** It left the lane, since it stands still. */
  readonly onStuck: (track: Track<Event>) => void;
  /** It left the lane, since somebody else has moved its generation. */
  readonly onRefused: (track: Track<Event>) => void;
  /** It left the lane, since some document cannot be written: an event among those taken in is to blame. */
  readonly onUnwritable: (track: Track<Event>) => void;
  /** The lane is at the end of the log or was just now, between pages. */
  readonly onEnd: (lane: Lane<Event>) => Promise<void>;
}

export function trackOf<Event extends RecordedEvent>(
  projection: Projection<unknown, Event>,
  place: Pick<Track<Event>, 'generation' | 'live' | 'checkpoint' | 'skipped' | 'isCareful'>,
): Track<Event> {
  const workspace = createWorkspace(projection);
  return { ...place, projection, workspace, reached: place.checkpoint, endedAt: null, isAtEnd: false };
}

/**
 * At the end of the log it rests for so long, and takes in together what was appended meanwhile: a commit costs far more
 * than one event more in it. Whoever waits for a view waits no longer than people notice.
 */
const REST_MS = 20;

/** Runs until the lane is left or empty. @throws what the stores throw: how far the tracks came is then unknown */
export async function runLane<Event extends RecordedEvent>(
  lane: Lane<Event>,
  work: LaneWork<Event>,
): Promise<void> {
  const pages = work.store.subscribe({
    after: startOf(lane.tracks),
    types: [...new Set([...lane.tracks].flatMap((track) => Object.keys(track.projection.on)))],
    pageSize: work.pageSize,
    signal: lane.leave.signal,
  });
  for await (const page of pages) {
    const poisons = await takePage(lane, page, work);
    const isAtEnd = page.caughtUp || lane.phase !== 'behind';
    if (isAtEnd || poisons.size > 0 || isFull(lane, work.batchDocuments())) {
      await commit(lane, poisons, work);
      if (isAtEnd && lane.tracks.size > 0) await work.onEnd(lane);
    }
    if (lane.tracks.size === 0 || lane.leave.signal.aborted) break;
    if (page.caughtUp) await pause(REST_MS);
  }
  await commit(lane, new Map(), work);
}

async function takePage<Event extends RecordedEvent>(
  lane: Lane<Event>,
  page: EventPage,
  { views, ...work }: LaneWork<Event>,
): Promise<ReadonlyMap<Track<Event>, Poison>> {
  const decode = decodingOnce(work.decode);
  const breath = breathing();
  const poisons = new Map<Track<Event>, Poison>();
  for (const [track, events] of freshFor(lane.tracks, page)) {
    const { projection, generation, workspace, reached, isCareful } = track;
    const load = (keys: readonly string[]) => views.load(projection.name, generation, keys);
    const poison = await foldPage(projection, events, workspace, { decode, load, breath, isCareful });
    track.reached = placeAfter(page, poison, reached);
    if (poison !== null) poisons.set(track, poison);
  }
  return poisons;
}

/** The events of the page that each track handles and has not seen. */
function freshFor<Event extends RecordedEvent>(
  tracks: ReadonlySet<Track<Event>>,
  page: EventPage,
): ReadonlyMap<Track<Event>, readonly RecordedEvent[]> {
  const fresh = new Map<Track<Event>, RecordedEvent[]>();
  const handling = new Map<string, (readonly [Track<Event>, RecordedEvent[]])[]>();
  for (const track of tracks) {
    const events: RecordedEvent[] = [];
    fresh.set(track, events);
    for (const type of Object.keys(track.projection.on)) {
      const handlers = handling.get(type) ?? [];
      handlers.push([track, events]);
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

async function commit<Event extends RecordedEvent>(
  lane: Lane<Event>,
  poisons: ReadonlyMap<Track<Event>, Poison>,
  work: LaneWork<Event>,
): Promise<void> {
  const written = new Map<Track<Event>, readonly ViewWrite[]>();
  for (const track of lane.tracks) {
    const writes = writesOf(track);
    if (writes !== null) written.set(track, writes);
    else if (lane.tracks.delete(track)) work.onUnwritable(track);
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
  for (const [track, writes] of written) {
    // It may have been swapped for another while this was committed.
    if (!lane.tracks.has(track)) continue;
    if (refused.includes(track.projection.name)) {
      lane.tracks.delete(track);
      work.onRefused(track);
      continue;
    }
    settle(track, writes, lane, work);
    const poison = poisons.get(track);
    if (poison === undefined) continue;
    lane.tracks.delete(track);
    await work.views.setStuck(track.projection.name, track.generation, stuckAt(poison, work.now()));
    work.onStuck(track);
  }
}

/** Nearly all tracks are at one place. */
async function marksAt(
  { marks }: EventStore,
  positions: readonly (string | null)[],
): Promise<ReadonlyMap<string, LogMark | null>> {
  const found = new Map<string, LogMark | null>();
  for (const position of positions)
    if (position !== null && !found.has(position)) found.set(position, await marks.at(position));
  return found;
}

function settle<Event extends RecordedEvent>(
  track: Track<Event>,
  writes: readonly ViewWrite[],
  { tracks }: Lane<Event>,
  { batchDocuments, onMoved }: LaneWork<Event>,
): void {
  const documents = batchDocuments();
  track.workspace.settle(writes, { documents, chars: (documents * CHARS_FOR_EACH_DOCUMENT) / tracks.size });
  if (track.checkpoint === track.reached) return;
  track.checkpoint = track.reached;
  onMoved(track);
}

/** Null when the projection fails over a finished document. */
function writesOf<Event extends RecordedEvent>({ workspace }: Track<Event>): readonly ViewWrite[] | null {
  try {
    return workspace.writes();
  } catch {
    return null;
  }
}

function isFull<Event extends RecordedEvent>({ tracks }: Lane<Event>, batchDocuments: number): boolean {
  let documents = 0;
  let chars = 0;
  for (const { workspace } of tracks) {
    const changed = workspace.changed();
    documents += changed.documents;
    chars += changed.chars;
  }
  return documents >= batchDocuments || chars >= batchDocuments * CHARS_FOR_EACH_DOCUMENT;
}

/** Where the track stands after the page: at its end, or just before the event it cannot take. */
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

function startOf<Event extends RecordedEvent>(tracks: ReadonlySet<Track<Event>>): string | null {
  let start: string | null = null;
  for (const { checkpoint } of tracks) {
    if (checkpoint === null) return null;
    if (start === null || checkpoint < start) start = checkpoint;
  }
  return start;
}

function isAfter(position: string, reached: string | null): boolean {
  return reached === null || position > reached;
}

/** Several views take in the same event: it is parsed for the first of them, and fails for all alike. */
function decodingOnce<Event extends RecordedEvent>(
  decode: (recorded: RecordedEvent) => Event,
): (recorded: RecordedEvent) => Event {
  const decoded = new Map<RecordedEvent, Event>();
  return (recorded) => {
    const known = decoded.get(recorded);
    if (known !== undefined) return known;
    const event = decode(recorded);
    decoded.set(recorded, event);
    return event;
  };
}
