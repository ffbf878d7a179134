/**
 * Which lanes there are. Generations that are kept up to date share one lane; one that is far behind has a lane of its
 * own, and when it has come to the end of the log, both lanes end and one begins in their place.
 */
import { type Lane, type LaneWork, runLane, type Track } from './projector-lane.ts';
import type { RecordedEvent } from '../../events/event.ts';

export interface Lanes<Event extends RecordedEvent> {
  readonly follows: (view: string, generation: number) => boolean;
  readonly follow: (tracks: readonly Track<Event>[]) => void;
  /** Leaves off the generations of this view that do not pass. */
  readonly unfollow: (view: string, isLeft: (track: Track<Event>) => boolean) => void;
  /** Ends all at their next page boundary. */
  readonly close: () => Promise<void>;
}

export interface LanesWork<Event extends RecordedEvent> extends Omit<LaneWork<Event>, 'onEnd'> {
  /** Makes what was built beside the live generation the live one, if it has come as far; its lane is at the end. */
  readonly promote: (track: Track<Event>) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

export function projectorLanes<Event extends RecordedEvent>(work: LanesWork<Event>): Lanes<Event> {
  const running = new Map<Lane<Event>, Promise<void>>();
  /** Tracks between two lanes. */
  const waiting = new Set<Track<Event>>();
  let isClosed = false;

  const all = (): Set<Track<Event>>[] => [waiting, ...[...running.keys()].map((lane) => lane.tracks)];
  const startLanes = (): void => {
    // A lane that is ending brings tracks that the waiting ones may share a lane with.
    if (isClosed || [...running.keys()].some((lane) => lane.leave.signal.aborted)) return;
    for (const tracks of groupsOf(waiting)) {
      const lane: Lane<Event> = { tracks, isAtEnd: false, leave: new AbortController() };
      running.set(lane, run(lane));
    }
    waiting.clear();
  };
  const run = async (lane: Lane<Event>): Promise<void> => {
    try {
      await runLane(lane, { ...work, onEnd });
      for (const track of lane.tracks) waiting.add(track);
    } catch (error) {
      // How far its tracks are must be read anew: they are followed again from there.
      lane.tracks.clear();
      work.onFailed(error);
    }
    running.delete(lane);
    startLanes();
  };
  const onEnd = async (lane: Lane<Event>): Promise<void> => {
    for (const track of lane.tracks) if (!track.live) await work.promote(track);
    for (const track of lane.tracks) track.isAtEnd = true;
    lane.isAtEnd = [...lane.tracks].every((track) => track.live);
    const others = [...running.keys()].filter((one) => one !== lane && one.isAtEnd);
    if (!lane.isAtEnd || others.length === 0) return;
    for (const one of [lane, ...others]) one.leave.abort();
  };

  return {
    follows: (view, generation) =>
      all().some((tracks) =>
        [...tracks].some((one) => one.generation === generation && one.projection.name === view),
      ),
    follow(tracks) {
      for (const track of tracks) waiting.add(track);
      startLanes();
    },
    unfollow(view, isLeft) {
      for (const tracks of all()) {
        for (const track of tracks) if (track.projection.name === view && isLeft(track)) tracks.delete(track);
      }
    },
    async close() {
      isClosed = true;
      for (const lane of running.keys()) lane.leave.abort();
      await Promise.all(running.values());
    },
  };
}

/** Those at the end of the log share a lane, and so do those that start at the same place. */
function groupsOf<Event extends RecordedEvent>(tracks: Iterable<Track<Event>>): Iterable<Set<Track<Event>>> {
  const groups = new Map<string, Set<Track<Event>>>();
  for (const track of tracks) {
    const { isAtEnd, live, checkpoint } = track;
    const key = live && isAtEnd ? 'end' : `${live ? 'live' : 'beside'} ${checkpoint}`;
    groups.set(key, (groups.get(key) ?? new Set()).add(track));
  }
  return groups.values();
}
