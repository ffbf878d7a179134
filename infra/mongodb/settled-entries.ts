/**
 * Entries of the journal that are settled. They are removed beside what comes next, and those of several commits at once:
 * to remove each by itself costs a call.
 */
import type { CommitJournal, Entry } from './commit-journal.ts';

type Settled = Pick<Entry, 'generation' | 'step'>;

export interface SettledEntries {
  /** What one commit has settled. */
  readonly add: (settled: readonly Settled[]) => void;
}

/** So many commits of a process stay in the journal. */
export const KEPT_COMMITS = 7;

export function settledEntries(
  { forget }: Pick<CommitJournal, 'forget'>,
  keptCommits: number,
): SettledEntries {
  /** The last step of each generation. */
  const last = new Map<number, Settled>();
  let commits = 0;
  let isForgetting = false;

  return {
    add(settled) {
      for (const one of settled) last.set(one.generation, one);
      commits += 1;
      if (isForgetting || commits <= keptCommits) return;
      const due = [...last.values()];
      last.clear();
      commits = 0;
      isForgetting = true;
      // What is left where that fails goes with a later step of its generation.
      void forget(due)
        .catch(() => {})
        .finally(() => (isForgetting = false));
    },
  };
}
