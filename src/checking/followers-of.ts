/** Those who follow the log, and what they have seen of it. */
import type { LogMark } from '../../events/log-mark.ts';
import { type ViewStore, ViewsUnavailable } from '../../projections/view-store.ts';
import { type Queue, QueueUnavailable } from '../ports/queue.ts';
import type { LogFollower } from './compare-followers.ts';

/** The follower that is `bourse.db-head`. */
export const HEAD_FILE = 'the file beside the log';

/** Who cannot be asked now is compared when he reads on. */
export async function followersOf(
  { witness }: { readonly witness?: () => LogMark | null },
  views: ViewStore | null,
  queue: Queue | null,
): Promise<readonly LogFollower[]> {
  const [kept, queued] = await Promise.all([
    views === null ? [] : unlessAway(ViewsUnavailable, [], () => views.marks()),
    queue === null ? null : unlessAway(QueueUnavailable, null, () => queue.mark()),
  ]);
  const marked = [
    { name: HEAD_FILE, mark: witness?.() ?? null },
    { name: 'the queue', mark: queued?.mark ?? null },
  ];
  return [
    ...marked.flatMap(({ name, mark }) => (mark === null ? [] : [{ name, position: mark.position, mark }])),
    ...kept.map(({ view, generation, checkpoint, mark }) => ({
      name: `the view ${view} (generation ${generation})`,
      position: checkpoint,
      mark,
    })),
  ];
}

async function unlessAway<Answer>(
  Unavailable: new (message: string) => Error,
  otherwise: Answer,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Unavailable) return otherwise;
    throw error;
  }
}
