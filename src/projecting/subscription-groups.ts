/**
 * Which groups there are. Generations that are kept up to date share one group; one that is far behind has a group of
 * its own, and when it has come to the end of the log, both groups end and one begins in their place. While a
 * generation is about to take the place of the live one, the live ones are held, or it might run after them for ever.
 */
import {
  type SubscriptionGroup,
  type GroupWork,
  runSubscriptionGroup,
  type GenerationCursor,
} from './subscription-group.ts';

const TOGETHER = 'together';

export interface SubscriptionGroups {
  readonly follows: (view: string, generation: number) => boolean;
  /** Of each generation that is followed what was committed last. */
  readonly checkpoints: () => ReadonlyMap<number, string | null>;
  readonly follow: (cursors: readonly GenerationCursor[]) => void;
  /** Leaves off the generations of this view that do not pass. */
  readonly unfollow: (view: string, isLeft: (cursor: GenerationCursor) => boolean) => void;
  /** Ends all at their next page boundary. */
  readonly close: () => Promise<void>;
}

export interface GroupsWork extends Omit<GroupWork, 'onEnd'> {
  /** Makes what was built beside the live generation the live one, if it has come as far; its group is at the end. */
  readonly promote: (cursor: GenerationCursor) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** A group has taken in all that the log has. */
  readonly onCaughtUp: () => void;
}

export function subscriptionGroups(work: GroupsWork): SubscriptionGroups {
  const running = new Map<SubscriptionGroup, Promise<void>>();
  /** Cursors between two groups. */
  const waiting = new Set<GenerationCursor>();
  let isClosed = false;

  const all = (): Set<GenerationCursor>[] => [waiting, ...[...running.keys()].map((group) => group.cursors)];
  const startSubscriptionGroups = (): void => {
    const groups = [...running.keys()];
    // A group that is ending brings cursors that the waiting ones may share a group with.
    if (isClosed || groups.some((group) => group.leave.signal.aborted)) return;
    const isHeld = groups.some((group) => group.phase === 'swapping');
    for (const [key, cursors] of groupsOf(waiting)) {
      if (key === TOGETHER && isHeld) continue;
      for (const cursor of cursors) waiting.delete(cursor);
      const group: SubscriptionGroup = { cursors, phase: 'behind', leave: new AbortController() };
      running.set(group, run(group));
    }
  };
  const run = async (group: SubscriptionGroup): Promise<void> => {
    try {
      await runSubscriptionGroup(group, { ...work, onEnd });
      for (const cursor of group.cursors) waiting.add(cursor);
    } catch (error) {
      // How far its cursors are must be read anew: they are followed again from there.
      group.cursors.clear();
      work.onFailed(error);
    }
    running.delete(group);
    startSubscriptionGroups();
  };
  const onEnd = async (group: SubscriptionGroup): Promise<void> => {
    for (const cursor of group.cursors) if (!cursor.live) await work.promote(cursor);
    for (const cursor of group.cursors) {
      cursor.isAtEnd = true;
      cursor.isCareful = false;
    }
    work.onCaughtUp();
    group.phase = [...group.cursors].every((cursor) => cursor.live) ? 'current' : 'swapping';
    const others = [...running.keys()].filter((one) => one !== group && one.phase === 'current');
    for (const one of others) one.leave.abort();
    if (group.phase === 'current' && (others.length > 0 || waiting.size > 0)) group.leave.abort();
  };

  return {
    follows: (view, generation) =>
      all().some((cursors) =>
        [...cursors].some((one) => one.generation === generation && one.projection.name === view),
      ),
    checkpoints: () =>
      new Map(all().flatMap((cursors) => [...cursors].map((one) => [one.generation, one.checkpoint]))),
    follow(cursors) {
      for (const cursor of cursors) waiting.add(cursor);
      startSubscriptionGroups();
    },
    unfollow(view, isLeft) {
      for (const cursors of all()) {
        for (const cursor of cursors)
          if (cursor.projection.name === view && isLeft(cursor)) cursors.delete(cursor);
      }
    },
    async close() {
      isClosed = true;
      for (const group of running.keys()) group.leave.abort();
      await Promise.all(running.values());
    },
  };
}

/** Those that are kept up to date share a group, and so do those that start at the same place. */
function groupsOf(cursors: Iterable<GenerationCursor>): Map<string, Set<GenerationCursor>> {
  const groups = new Map<string, Set<GenerationCursor>>();
  for (const cursor of cursors) {
    const { isAtEnd, live, checkpoint, isCareful } = cursor;
    const place = `${live ? 'live' : 'beside'}${isCareful ? ' careful' : ''} ${checkpoint}`;
    const key = live && isAtEnd ? TOGETHER : place;
    groups.set(key, (groups.get(key) ?? new Set()).add(cursor));
  }
  return groups;
}
