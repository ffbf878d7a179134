/**
 * Checkpoints of the reactions that fill the queue: whenever one is kept with the log, the queue keeps a mark of the log
 * as well. So a queue whose log was exchanged or cut is found, though the checkpoints went with the log.
 */
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { LogMarks } from '../../events/log-mark.ts';
import { type Queue, QueueUnavailable } from '../ports/queue.ts';

export function markingCheckpoints(
  checkpoints: Checkpoints,
  marks: LogMarks,
  queue: Pick<Queue, 'keepMark'>,
): Checkpoints {
  let marked = '';
  return {
    get: (name) => checkpoints.get(name),
    async set(name, position) {
      await checkpoints.set(name, position);
      if (position <= marked) return;
      const mark = await marks.at(position);
      if (mark === null) return;
      try {
        await queue.keepMark(mark);
        marked = position;
      } catch (error) {
        // The next checkpoint brings a later mark; the reaction has done its part.
        if (!(error instanceof QueueUnavailable)) throw error;
      }
    },
  };
}
