/**
 * A lane reads the log once for several generations. It starts where the one that is least far stands; each takes in
 * only what it has not seen. All that a page changes is committed together.
 */
import type { EventPage, EventStore } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { Projection } from '../../projections/projection.ts';
import type { StuckAt, ViewCommit, ViewStore } from '../../projections/view-store.ts';
import { breathing } from './breath.ts';
import { foldPage, type PageFold } from './fold-page.ts';

/** A generation that is followed. */
export interface Track<Event extends RecordedEvent> {
  readonly projection: Projection<unknown, Event>;
  readonly generation: number;
  live: boolean;
  checkpoint: string | null;
  readonly skipped: ReadonlySet<string>;
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
  readonly now: () => number;
  /** Its checkpoint has moved on. */
  readonly onMoved: (track: Track<Event>) => void;
  /** It left the lane, since it stands still, or since somebody else has moved its generation. */
  readonly onStuck: (track: Track<Event>) => void;
  readonly onRefused: (track: Track<Event>) => void;
  /** The lane is at the end of the log or was just now, between pages. */
  readonly onEnd: (lane: Lane<Event>) => Promise<void>;
}

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
    await takePage(lane, page, work);
    const isAtEnd = page.caughtUp || lane.phase === 'overtaking';
    if (isAtEnd && lane.tracks.size > 0) await work.onEnd(lane);
    if (lane.tracks.size === 0 || lane.leave.signal.aborted) return;
  }
}

async function takePage<Event extends RecordedEvent>(
  lane: Lane<Event>,
  page: EventPage,
  work: LaneWork<Event>,
): Promise<void> {
  const { views } = work;
  const decode = decodingOnce(work.decode);
  const breath = breathing();
  const folds: { readonly track: Track<Event>; readonly fold: PageFold; readonly to: string | null }[] = [];
  for (const track of lane.tracks) {
    const { projection, generation, checkpoint, skipped } = track;
    const fresh = page.events.filter(
      (event) => isAfter(event.position, checkpoint) && !skipped.has(event.id),
    );
    const load = (keys: readonly string[]) => views.load(projection.name, generation, keys);
    const fold = await foldPage(projection, fresh, { decode, load, breath });
    folds.push({ track, fold, to: placeAfter(page, fold, checkpoint) });
  }

  const commits: ViewCommit[] = [];
  for (const { track, fold, to } of folds) {
    const { projection, generation, checkpoint } = track;
    if (to === null || to === checkpoint) continue;
    commits.push({ view: projection.name, generation, from: checkpoint, to, writes: fold.writes });
  }
  const refused = commits.length === 0 ? [] : await views.commit(commits);
  for (const { track, fold, to } of folds) {
    // It may have been swapped for another while the page was worked on.
    if (!lane.tracks.has(track)) continue;
    if (refused.includes(track.projection.name)) {
      lane.tracks.delete(track);
      work.onRefused(track);
      continue;
    }
    if (to !== track.checkpoint) {
      track.checkpoint = to;
      work.onMoved(track);
    }
    if (fold.poison === null) continue;
    lane.tracks.delete(track);
    await views.setStuck(track.projection.name, track.generation, stuckAt(fold.poison, work.now()));
    work.onStuck(track);
  }
}

/** Where the track stands after the page: at its end, or just before the event it cannot take. */
function placeAfter(page: EventPage, { poison }: PageFold, checkpoint: string | null): string | null {
  if (poison === null) return isAfter(page.position, checkpoint) ? page.position : checkpoint;
  const before = page.events.findLast((event) => event.position < poison.event.position)?.position ?? null;
  return before !== null && isAfter(before, checkpoint) ? before : checkpoint;
}

function stuckAt({ event, error }: NonNullable<PageFold['poison']>, nowMs: number): StuckAt {
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

function isAfter(position: string, checkpoint: string | null): boolean {
  return checkpoint === null || position > checkpoint;
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
