/**
 * Every authorised spend has its job: made in the request that spent, and by a reaction where the process died before.
 * All that the job needs stands in the spend, and the command id is the spend's, so that both make the same job once.
 */
import { jobDecider } from '../../../commands/job/job.ts';
import type { TrialDraft } from '../../../commands/job/job-state.ts';
import type { PlacedEvent } from '../../../events/event.ts';
import type { MandateFact } from '../../../events/mandate-events.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { type DependentAppend, dependent } from '../../commanding/decide-and-append.ts';
import type { Services } from '../services.ts';

export type SpentEvent = PlacedEvent<Extract<MandateFact, { type: 'MandateSpent' }>>;

/** The spend among what an accepted command added; a mandate may have carried its balance before it. */
export function spentIn(events: readonly PlacedEvent<MandateFact>[]): SpentEvent {
  const spent = events.find((event): event is SpentEvent => event.type === 'MandateSpent');
  if (spent === undefined) throw new Error('a spend was accepted without its event');
  return spent;
}

/** An unpaid draft expires after this. */
export const FUNDING_MS = 24 * 60 * 60 * 1_000;

export async function draftJob(
  { commands }: Pick<Services, 'commands'>,
  spent: SpentEvent,
  actor: string,
  how: Pick<CommandCall, 'beginsStream'> = {},
): Promise<void> {
  const { command, call } = draftingOf(spent, actor);
  const outcome = await commands.run(jobDecider, command.draft.jobId, command, { ...call, ...how });
  if (outcome.kind === 'rejected') throw new Error(`the job of spend ${spent.data.spendId} was refused`);
}

/** The command that drafts the job of a spend, to be committed with it. */
export function draftWith(spent: SpentEvent): DependentAppend {
  const { command, call } = draftingOf(spent, spent.meta.actor);
  return dependent(jobDecider, streamIdOf(jobDecider, command.draft.jobId), command, call);
}

function draftingOf(spent: SpentEvent, actor: string) {
  const draft = draftOf(spent);
  const command = { type: 'CreateTrial', draft } as const;
  const call: CommandCall = {
    at: spent.at,
    actor,
    requestId: spent.meta.requestId,
    commandId: `trial:${draft.spend.spendId}`,
    causationId: spent.id,
  };
  return { command, call };
}

/** The draft that a spend leads to. */
export function draftOf({ at, streamId, revision, data }: SpentEvent): TrialDraft {
  const { spendId, keyId, accountId, period, amountCents, currency, order } = data;
  // Field by field, as in `draftedJob` (projections/jobs.ts).
  return {
    jobId: order.jobId,
    agent: order.agent,
    agency: order.agency,
    expectedRecords: order.expectedRecords,
    hasNotifyUrl: order.hasNotifyUrl,
    text: order.text,
    accountId,
    keyId,
    spend: { mandateId: streamId.slice('mandate-'.length), spendId, revision, period },
    amountCents,
    currency,
    fundingExpiresAt: new Date(Date.parse(at) + FUNDING_MS).toISOString(),
  };
}
