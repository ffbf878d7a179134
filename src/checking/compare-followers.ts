/** Compares a log with what those who follow it have seen of it. Cheap: a few look-ups for each, and no reading. */
import type { EventStore } from '../../events/event-store.ts';
import type { LogMark } from '../../events/log-mark.ts';

/** Who follows the log, and what is kept with its position. */
export interface LogFollower {
  readonly name: string;
  readonly position: string | null;
  /** Null in what programs kept that knew no marks. */
  readonly mark: LogMark | null;
}

export interface LogDifference {
  readonly follower: LogFollower;
  /** `another_log`: of another identity. `shorter`: it ends before. `other_events`: others stand where it was. */
  readonly kind: 'another_log' | 'shorter' | 'other_events';
  /** What was found, for people. */
  readonly problem: string;
}

/**
 * @param followers as they were read before the log is asked: it may only have gone on since
 * @throws {StoreUnavailable} the log cannot be read
 */
export async function compareFollowers(
  { marks, ...events }: Pick<EventStore, 'head' | 'knows' | 'marks'>,
  followers: readonly LogFollower[],
): Promise<readonly LogDifference[]> {
  const head = await events.head();
  const logId = marks.logId();
  const differences: LogDifference[] = [];
  const looks = new Map<string, Promise<Finding | null>>();
  for (const follower of followers) {
    const { position, mark } = follower;
    // Most stand at one place: it is looked at once.
    const key = JSON.stringify([position, mark]);
    const look = looks.get(key) ?? findingOf(position, mark);
    looks.set(key, look);
    const finding = await look;
    if (finding !== null) differences.push({ follower, ...finding });
  }
  return differences;

  async function findingOf(position: string | null, mark: LogMark | null): Promise<Finding | null> {
    // Views of a log without events stand before its first.
    if (mark === null && position !== null && /^0+$/.test(position)) return null;
    // Where positions do not count events, a place behind the last of ours, or with none of ours, may be of somebody else.
    if (mark === null) {
      // One of another engine, as after `bourse migrate`, says nothing here.
      if (position === null || !events.knows(position)) return null;
      const tells = marks.countBetween(head ?? position, position) !== null;
      return tells && isBeyond(position) ? shorter(position, null) : null;
    }
    if (logId !== null && mark.logId !== logId) return another(mark);
    // A copy of the log in another engine: positions of the old one say nothing here.
    if (!events.knows(mark.position)) return null;
    if (isBeyond(mark.position)) return shorter(mark.position, mark);
    if ((await marks.eventIdAt(mark.position)) !== mark.eventId) return others(mark);
    const digest = mark.digest === null ? null : await marks.digestAt(mark.digest.position);
    return digest === null || digest === mark.digest?.sha256 ? null : others(mark);
  }
  function isBeyond(position: string): boolean {
    return events.knows(position) && (head === null || position > head);
  }
  async function shorter(position: string, mark: LogMark | null): Promise<Finding> {
    const last = head === null ? null : await marks.at(head);
    const missing = head === null ? null : marks.countBetween(head, position);
    const ends = head === null ? 'is empty' : `ends at ${head}${ofTime(last)}`;
    const count = missing === null ? '' : `: ${missing} ${missing === 1 ? 'event is' : 'events are'} missing`;
    return { kind: 'shorter', problem: `has seen ${position}${ofTime(mark)}, and the log ${ends}${count}` };
  }
}

type Finding = Omit<LogDifference, 'follower'>;

function another({ logId, position, at }: LogMark): Finding {
  const problem = `follows another log, ${logId}, of which it has seen ${position} of ${at}`;
  return { kind: 'another_log', problem };
}

function others({ position, at }: LogMark): Finding {
  const problem = `has seen another event at ${position} of ${at} than the log holds there: this is not the log that it followed, or an older copy that has gone on since`;
  return { kind: 'other_events', problem };
}

function ofTime(mark: LogMark | null): string {
  return mark === null ? '' : ` of ${mark.at}`;
}
