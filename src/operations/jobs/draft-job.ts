/**
 * Every authorised spend has its job: made in the request that spent, and by a reaction where the process died before.
 * All that the job needs stands in the spend, and the command id is the spend's, so that both make the same job once.
 */
import { jobDecider } from '../../../commands/job/job.ts';
import type { TrialDraft } from '../../../commands/job/job-state.ts';
import type { PlacedEvent } from '../../../events/event.ts';
import type { MandateFact } from '../../../events/mandate-events.ts';
import type { CommandCall } from '../../runners/command-call.ts';
import type { Services } from '../services.ts';

export type SpentEvent = PlacedEvent<Extract<MandateFact, { type: 'MandateSpent' }>>;

/** An unpaid draft expires after this. */
const FUNDING_MS = 24 * 60 * 60 * 1_000;

export async function draftJob(
  { commands }: Pick<Services, 'commands'>,
  spent: SpentEvent,
  actor: string,
  how: Pick<CommandCall, 'beginsStream'> = {},
): Promise<void> {
  const draft = draftOf(spent);
  const outcome = await commands.run(
    jobDecider,
    draft.jobId,
    { type: 'CreateTrial', draft },
    {
      at: spent.at,
      actor,
      ...how,
      requestId: spent.meta.requestId,
      commandId: `trial:${draft.spend.spendId}`,
      causationId: spent.id,
    },
  );
  if (outcome.kind === 'rejected') throw new Error(`the job of spend ${draft.spend.spendId} was refused`);
}

/** The draft that a spend leads to. */
export function draftOf({ at, streamId, revision, data }: SpentEvent): TrialDraft {
  const { spendId, keyId, accountId, period, amountCents, currency, order } = data;
  // Field by field, as in `draftedJob` (projections/jobs.ts).
  return {
    jobId: order.jobId,
    agent: order.agent,
    agency: order.agency,
    brief: order.brief,
    inputs: order.inputs,
    expectedRecords: order.expectedRecords,
    metadata: order.metadata,
    notifyUrl: order.notifyUrl,
    accountId,
    keyId,
    spend: { mandateId: streamId.slice('mandate-'.length), spendId, revision, period },
    amountCents,
    currency,
    fundingExpiresAt: new Date(Date.parse(at) + FUNDING_MS).toISOString(),
  };
}
