/**
 * Which lanes there are. Generations that are kept up to date share one lane; one that is far behind has a lane of its
 * own, and when it has come to the end of the log, both lanes end and one begins in their place. While a generation
 * is about to take the place of the live one, the live ones are held, or it might run after them for ever.
 */
import { type Lane, type LaneWork, runLane, type Track } from './projector-lane.ts';
import type { RecordedEvent } from '../../events/event.ts';

const TOGETHER = 'together';

export interface Lanes<Event extends RecordedEvent> {
  readonly follows: (view: string, generation: number) => boolean;
  /** Of each generation that is followed what was committed last. */
  readonly checkpoints: () => ReadonlyMap<number, string | null>;
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
  /** A lane has taken in all that the log has. */
  readonly onCaughtUp: () => void;
}

export function projectorLanes<Event extends RecordedEvent>(work: LanesWork<Event>): Lanes<Event> {
  const running = new Map<Lane<Event>, Promise<void>>();
  /** Tracks between two lanes. */
  const waiting = new Set<Track<Event>>();
  let isClosed = false;

  const all = (): Set<Track<Event>>[] => [waiting, ...[...running.keys()].map((lane) => lane.tracks)];
  const startLanes = (): void => {
    const lanes = [...running.keys()];
    // A lane that is ending brings tracks that the waiting ones may share a lane with.
    if (isClosed || lanes.some((lane) => lane.leave.signal.aborted)) return;
    const isHeld = lanes.some((lane) => lane.phase === 'overtaking');
    for (const [key, tracks] of groupsOf(waiting)) {
      if (key === TOGETHER && isHeld) continue;
      for (const track of tracks) waiting.delete(track);
      const lane: Lane<Event> = { tracks, phase: 'behind', leave: new AbortController() };
      running.set(lane, run(lane));
    }
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
    for (const track of lane.tracks) {
      track.isAtEnd = true;
      track.isCareful = false;
    }
    work.onCaughtUp();
    lane.phase = [...lane.tracks].every((track) => track.live) ? 'current' : 'overtaking';
    const others = [...running.keys()].filter((one) => one !== lane && one.phase === 'current');
    for (const one of others) one.leave.abort();
    if (lane.phase === 'current' && (others.length > 0 || waiting.size > 0)) lane.leave.abort();
  };

  return {
    follows: (view, generation) =>
      all().some((tracks) =>
        [...tracks].some((one) => one.generation === generation && one.projection.name === view),
      ),
    checkpoints: () =>
      new Map(all().flatMap((tracks) => [...tracks].map((one) => [one.generation, one.checkpoint]))),
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

/** Those that are kept up to date share a lane, and so do those that start at the same place. */
function groupsOf<Event extends RecordedEvent>(
  tracks: Iterable<Track<Event>>,
): Map<string, Set<Track<Event>>> {
  const groups = new Map<string, Set<Track<Event>>>();
  for (const track of tracks) {
    const { isAtEnd, live, checkpoint, isCareful } = track;
    const place = `${live ? 'live' : 'beside'}${isCareful ? ' careful' : ''} ${checkpoint}`;
    const key = live && isAtEnd ? TOGETHER : place;
    groups.set(key, (groups.get(key) ?? new Set()).add(track));
  }
  return groups;
}
