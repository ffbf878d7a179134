/**
 * Every five minutes, on one node: what the meter has counted since is kept in the log, so that an engine that loses its
 * counts can go on from there, and a threshold whose note failed is noted.
 */
import { PLANS } from '../../commands/subscription/plans.ts';
import { usageDecider, usageId } from '../../commands/usage/usage.ts';
import { periodOf } from '../../events/period.ts';
import type { UsageTotals } from '../../events/usage-events.ts';
import { subscriptionsProjection } from '../../projections/subscriptions.ts';
import { noteAll, reachedPercent } from '../operations/plans/quota-thresholds.ts';
import { readView } from '../operations/read-view.ts';
import type { Services } from '../operations/services.ts';
import type { AccountMonth, Meter } from '../ports/meter.ts';
import type { TaskKind } from '../background/task-runner.ts';
import { standingTask } from './standing-tasks.ts';

const EVERY_MS = 5 * 60_000;
const MOST_ROUNDS = 100;
const MONTHS_A_ROUND = 1_000;
const MONTHS_AT_ONCE = 100;

type Checkpointing = Pick<Services, 'commands' | 'views'>;

export function checkpointUsage(services: Checkpointing, meter: Meter): TaskKind {
  return standingTask('checkpoint-usage', EVERY_MS, async (nowMs) => {
    await checkpointAll(services, meter, nowMs);
    await meter.prune();
  });
}

export async function checkpointAll(services: Checkpointing, meter: Meter, nowMs: number): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const unsaved = await meter.unsaved(MONTHS_A_ROUND);
    for (let from = 0; from < unsaved.length; from += MONTHS_AT_ONCE) {
      const months = unsaved.slice(from, from + MONTHS_AT_ONCE);
      await meter.saved(await Promise.all(months.map((month) => checkpoint(services, meter, month, nowMs))));
    }
    // What grows meanwhile is for the next time, as is what is left after the last round.
    if (unsaved.length < MONTHS_A_ROUND) return;
  }
}

/** Resolves with the month as it is kept. */
async function checkpoint(
  services: Checkpointing,
  meter: Meter,
  counted: AccountMonth,
  nowMs: number,
): Promise<AccountMonth> {
  const month = await keep(services, meter, counted, nowMs);
  // A month that is over was held to the plan of its time, which may have been another one.
  if (month.period === periodOf(new Date(nowMs).toISOString())) await noteIfReached(services, month, nowMs);
  return month;
}

async function keep(
  { commands }: Checkpointing,
  meter: Meter,
  month: AccountMonth,
  nowMs: number,
): Promise<AccountMonth> {
  const { accountId, period, totals } = month;
  const id = `usage:${accountId}:${period}:${totals.counted}:${totals.returned}`;
  const command = { type: 'CheckpointUsage', accountId, period, totals } as const;
  const outcome = await commands.run(usageDecider, usageId(accountId, period), command, {
    at: new Date(nowMs).toISOString(),
    actor: 'meter',
    requestId: id,
    commandId: id,
  });
  if (outcome.kind !== 'accepted' || !isLess(totals, outcome.state)) return month;
  // The engine was set back: the log knows of more.
  const kept = { ...month, totals: outcome.state };
  await meter.seed(kept);
  return kept;
}

async function noteIfReached(services: Checkpointing, month: AccountMonth, nowMs: number): Promise<void> {
  const { accountId } = month;
  const subscription = await readView(services.views, subscriptionsProjection, accountId);
  if (subscription === undefined) return;
  const plan = PLANS[subscription.plan];
  const percent = reachedPercent({ month }, plan);
  if (percent > 0) await noteAll(services, { accountId, plan, reading: { nowMs, month }, percent });
}

function isLess(totals: UsageTotals, other: UsageTotals): boolean {
  return totals.counted < other.counted || totals.returned < other.returned;
}
