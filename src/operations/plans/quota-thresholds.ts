/**
 * Whoever finds that a threshold of the quota is reached notes it; the log keeps the first note. A process remembers
 * what it has noted, so that one request of many pays for it.
 */
import { LRUCache } from 'lru-cache';
import type { Plan } from '../../../commands/subscription/plans.ts';
import { subscriptionDecider } from '../../../commands/subscription/subscription.ts';
import { usedOf } from '../../../events/usage-events.ts';
import type { MeterReading } from '../../ports/meter.ts';
import type { Services } from '../services.ts';

const PERCENTS = [80, 100] as const;
const MAX_NOTED = 10_000;

export interface ReachedThreshold {
  readonly accountId: string;
  readonly plan: Plan;
  readonly reading: Pick<MeterReading, 'nowMs' | 'month'>;
  /** The highest that is reached. */
  readonly percent: number;
}

/** Does not wait: what fails is told to `onError`, and noted by the next request or checkpoint. */
export type NoteThresholds = (reached: ReachedThreshold) => void;

/** The highest threshold that the month has come to; 0 below the first. */
export function reachedPercent({ month }: Pick<MeterReading, 'month'>, { perMonth }: Plan): number {
  const used = usedOf(month.totals);
  return PERCENTS.findLast((percent) => used * 100 >= perMonth * percent) ?? 0;
}

export function createNoteThresholds(
  services: Pick<Services, 'commands'>,
  onError: (error: unknown) => void,
): NoteThresholds {
  const noted = new LRUCache<string, true>({ max: MAX_NOTED });
  return (reached) => {
    const { accountId, plan, reading, percent } = reached;
    const id = `${accountId} ${reading.month.period} ${plan.perMonth} ${percent}`;
    if (noted.has(id)) return;
    noted.set(id, true);
    noteAll(services, reached).catch((error: unknown) => {
      noted.delete(id);
      onError(error);
    });
  };
}

/** Notes every threshold up to the highest: one may have been jumped over. */
export async function noteAll(
  { commands }: Pick<Services, 'commands'>,
  { accountId, plan, reading, percent }: ReachedThreshold,
): Promise<void> {
  const { period, totals } = reading.month;
  const limit = plan.perMonth;
  for (const one of PERCENTS) {
    if (one > percent) return;
    const id = `quota:${accountId}:${period}:${limit}:${one}`;
    await commands.run(
      subscriptionDecider,
      accountId,
      { type: 'NoteQuotaThreshold', period, percent: one, limit, used: usedOf(totals) },
      { at: new Date(reading.nowMs).toISOString(), actor: 'meter', requestId: id, commandId: id },
    );
  }
}
