/**
 * Checkpoints of reactions beside a queue: whenever one is kept with the log, the queue keeps a mark of the log as well. So
 * a queue whose log was exchanged or cut is found, though the checkpoints went with the log. And a queue that was set back,
 * as by an older copy, is given once more what it has forgotten: a reaction that fills it goes on from its mark.
 */
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { LogMark } from '../../events/log-mark.ts';
import { type Queue, QueueUnavailable } from '../ports/queue.ts';

/** A queue that knows less of the log than a reaction that fills it. */
export interface QueueBehind {
  readonly reaction: string;
  /** How far the reaction had come, and how far the queue knows of it. */
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
  const compared = new Set<string>();
  let marked = '';
  let asking: Promise<LogMark | null> | null = null;
  /** What the queue knew before anything was marked here. @throws {QueueUnavailable} */
  const firstMark = (): Promise<LogMark | null> => {
    asking ??= queue.mark().catch((error: unknown) => {
      asking = null;
      throw error;
    });
    return asking;
  };
  return {
    async get(name) {
      const checkpoint = await checkpoints.get(name);
      if (checkpoint === null || compared.has(name) || !filling.includes(name)) return checkpoint;
      const mark = await firstMark();
      // One of a log in another engine, as before `bourse migrate`, says nothing here.
      const isBehind = mark !== null && events.knows(mark.position) && mark.position < checkpoint;
      if (isBehind) {
        onBehind({ reaction: name, checkpoint, mark: mark.position });
        // Others may mark more before this one has come so far again.
        await checkpoints.set(name, mark.position);
      }
      compared.add(name);
      return isBehind ? mark.position : checkpoint;
    },
    async set(name, position) {
      // The queue first: it has then never seen less than the reactions that fill it.
      if (position > marked) await keepMark(position);
      await checkpoints.set(name, position);
    },
  };

  async function keepMark(position: string): Promise<void> {
    try {
      const before = await firstMark();
      const isAhead = before !== null && events.knows(before.position) && before.position >= position;
      const mark = isAhead ? null : await events.marks.at(position);
      if (mark !== null) await queue.keepMark(mark);
      if (mark !== null || isAhead) marked = position;
    } catch (error) {
      // The next checkpoint brings a later mark; the reaction has done its part.
      if (!(error instanceof QueueUnavailable)) throw error;
    }
  }
}
