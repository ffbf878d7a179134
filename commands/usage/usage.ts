/** Checkpoints of one account's month in the meter: its totals only grow, in whatever order readings of them arrive. */
import type { Occurred } from '../../events/event.ts';
import type { UsageFact, UsageTotals } from '../../events/usage-events.ts';
import { accept, assertNever, type Decider, type Decision } from '../decider.ts';

export interface CheckpointUsage {
  readonly type: 'CheckpointUsage';
  readonly accountId: string;
  readonly period: string;
  readonly totals: UsageTotals;
}

/** The month is over and its last requests have been answered. */
export interface CloseUsageMonth {
  readonly type: 'CloseUsageMonth';
  readonly accountId: string;
  readonly period: string;
  readonly totals: UsageTotals;
}

export type UsageCommand = CheckpointUsage | CloseUsageMonth;

export interface MonthOfUse {
  readonly totals: UsageTotals;
  readonly isClosed: boolean;
}

export const NOTHING_USED: UsageTotals = { counted: 0, returned: 0 };

export const usageDecider: Decider<MonthOfUse, UsageCommand, UsageFact, never> = {
  family: 'usage',
  initial: { totals: NOTHING_USED, isClosed: false },
  evolve: (_month, event) => monthAfter(event),
  decide,
  carries: () => true,
  remembersCommands: false,
};

/** What a month's stream is called behind the name of the family. */
export function usageId(accountId: string, period: string): string {
  return `${accountId}-${period}`;
}

/** Of two readings of one month what both know: each count only grows. */
export function laterTotals(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    counted: Math.max(one.counted, other.counted),
    returned: Math.max(one.returned, other.returned),
  };
}

function monthAfter({ type, data }: Occurred<UsageFact>): MonthOfUse {
  return { totals: data.totals, isClosed: type === 'UsageMonthClosed' };
}

function decide(command: UsageCommand, month: MonthOfUse): Decision<UsageFact, never> {
  if (month.isClosed) return accept();
  const { accountId, period } = command;
  const totals = laterTotals(month.totals, command.totals);
  const data = { accountId, period, totals };
  switch (command.type) {
    case 'CheckpointUsage': {
      const isNews = totals.counted > month.totals.counted || totals.returned > month.totals.returned;
      return isNews ? accept({ type: 'UsageCheckpointed', data }) : accept();
    }
    case 'CloseUsageMonth':
      return accept({ type: 'UsageMonthClosed', data });
    default:
      return assertNever(command);
  }
}
