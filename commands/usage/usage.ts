/** Checkpoints of one account's month in the meter: its totals only grow, in whatever order readings of them arrive. */
import { exceeds, laterTotals, type UsageFact, type UsageTotals } from '../../events/usage-events.ts';
import { accept, type Decider, type Decision } from '../decider.ts';

export interface CheckpointUsage {
  readonly type: 'CheckpointUsage';
  readonly accountId: string;
  readonly period: string;
  readonly totals: UsageTotals;
}

/** The state is the totals: every event carries them whole. */
export const usageDecider: Decider<UsageTotals, CheckpointUsage, UsageFact, never> = {
  family: 'usage',
  initial: { counted: 0, returned: 0 },
  evolve: (_totals, { data }) => data.totals,
  decide,
  isSnapshot: () => true,
  remembersCommands: false,
};

/** What a month's stream is called behind the name of the family. */
export function usageId(accountId: string, period: string): string {
  return `${accountId}-${period}`;
}

function decide(
  { accountId, period, totals }: CheckpointUsage,
  known: UsageTotals,
): Decision<UsageFact, never> {
  if (!exceeds(totals, known)) return accept();
  return accept({
    type: 'UsageCheckpointed',
    data: { accountId, period, totals: laterTotals(known, totals) },
  });
}
