/**
 * Checkpoints of reactions beside a queue: whenever one is kept with the log, the queue keeps a mark of the log as well. So
 * a queue whose log was exchanged or cut is found, though the checkpoints went with the log. And a queue that was set back,
 * as by an older copy, is given once more what it has forgotten: a reaction that fills it goes on from its mark.
 */
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { LogMark } from '../../events/log-mark.ts';
import { keptOnce } from '../timing/kept.ts';
import { type Queue, type QueueMark, QueueUnavailable } from '../ports/queue.ts';

/** A queue that knows less of the log than reactions that fill it. */
export interface QueueBehind {
  readonly reactions: readonly string[];
  /** How far the first of them had come, and how far the queue knows of it. */
  readonly checkpoint: string;
  readonly mark: string;
}

export interface MarkingParts {
  readonly events: Pick<EventStore, 'knows' | 'marks'>;
  readonly queue: Pick<Queue, 'mark' | 'keepMark'>;
  /** The names of the reactions that fill the queue. */
  readonly filling: readonly string[];
  readonly onBehind: (found: QueueBehind) => void;
}

export function markingCheckpoints(
  checkpoints: Checkpoints,
  { events, queue, filling, onBehind }: MarkingParts,
): Checkpoints {
  let kept: QueueMark | null = null;
  let keeping: Promise<void> = Promise.resolve();
  /** What the queue knew before anything was kept here. @throws {QueueUnavailable} */
  const first = keptOnce(async () => {
    const found = await queue.mark();
    // One of a log in another engine, as before `bourse migrate`, says nothing here.
    return found !== null && events.knows(found.reached) ? found : null;
  });
  /** Once, before the first of them goes on. @throws {QueueUnavailable} */
  const compared = keptOnce(compare);
  return {
    async get(name) {
      if (filling.includes(name)) await compared();
      return checkpoints.get(name);
    },
    async set(name, position) {
      // One at a time, or an earlier mark could be kept after a later one.
      keeping = keeping.catch(() => {}).then(() => keepMark(position));
      try {
        await keeping;
      } catch (error) {
        // The queue first: it has then never seen less than the reactions that fill it. The others have done their part,
        // and the next checkpoint brings a later mark.
        if (!(error instanceof QueueUnavailable) || filling.includes(name)) throw error;
      }
      await checkpoints.set(name, position);
    },
  };

  /** Takes back those who are ahead of what the queue knows, which others may mark before they have come so far again. */
  async function compare(): Promise<void> {
    const mark = (await first())?.reached;
    if (mark === undefined) return;
    const ahead = new Map<string, string>();
    for (const name of filling) {
      const checkpoint = await checkpoints.get(name);
      if (checkpoint !== null && checkpoint > mark) ahead.set(name, checkpoint);
    }
    const checkpoint = [...ahead.values()].sort().at(-1);
    if (checkpoint === undefined) return;
    onBehind({ reactions: [...ahead.keys()], checkpoint, mark });
    for (const name of ahead.keys()) await checkpoints.set(name, mark);
  }

  async function keepMark(reached: string): Promise<void> {
    const before = kept ?? (await first());
    if (before !== null && before.reached >= reached) return;
    const mark = later(before?.mark ?? null, await events.marks.at(reached));
    if (mark === null) return;
    await queue.keepMark({ mark, reached });
    kept = { mark, reached };
  }
}

/** What a log has at hand may be less than what it had. */
function later(one: LogMark | null, other: LogMark | null): LogMark | null {
  if (one === null || other === null) return one ?? other;
  return one.position > other.position ? one : other;
}
