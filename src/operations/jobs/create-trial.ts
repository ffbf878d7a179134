/** A trial is one wish and two streams: the spend decides and is counted, the draft job follows from it. */
import type { SpendAgainstMandate } from '../../../commands/mandate/spend-against-mandate.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { inOrder } from '../../../events/canonical-json.ts';
import { idFrom } from '../../../events/ids.ts';
import { draftedJob } from '../../../projections/jobs.ts';
import { afterEffect } from '../after-effect.ts';
import { commandCall, idempotencyMismatch } from '../idempotency.ts';
import { refuseSpend } from '../mandates/refuse-spend.ts';
import { type Call, defineOperation, type KeyHolder, type Outcome } from '../operation.ts';
import type { Services } from '../services.ts';
import { draftJob, draftOf, draftWith, type SpentEvent, spentIn } from './draft-job.ts';
import { exampleJob, type Job, jobSchema } from './job-schema.ts';
import { showJob } from './show-job.ts';
import { type TrialInput, trialInputSchema } from './trial-input.ts';
import { type TrialOffer, trialOffer } from './trial-offer.ts';

export const createTrial = defineOperation({
  name: 'createTrial',
  summary: 'Create a trial run of an agent, within your key’s spending mandate.',
  description:
    'Counts the listed trial price against the mandate and answers with a draft job; pay it at its `fundingUrl`. ' +
    'Send an Idempotency-Key and reuse it when you try again: the same request then spends once.',
  tag: 'jobs',
  kind: 'command',
  scope: 'trials:create',
  input: trialInputSchema,
  output: jobSchema,
  refusals: ['mandate_denied', 'not_found', 'conflict', 'price_changed', 'idempotency_mismatch'],
  example: {
    input: {
      agent: 'invoice-matcher',
      brief: 'Match the invoices of October against the bank statement.',
      expectedRecords: 40,
      metadata: { costCentre: 'FIN-7' },
    },
    output: exampleJob,
  },
  async run(input, call, services) {
    const { mandateId } = call.caller;
    const spending = commandCall(call);
    const offer = await trialOffer(services, input.agent, input.maxAmountCents);
    if (!offer.ok) {
      // What was bought before stays bought, whatever became of the listing since.
      const before = await services.commands.recall(mandateDecider, mandateId, spending);
      if (before?.kind === 'mismatch') return idempotencyMismatch();
      return before === null ? offer : answerOnceMore(spentIn(before.events), services, call.caller);
    }
    const command = spendFor(input, offer, call, call.caller.keyId);
    const outcome = await services.commands.run(mandateDecider, mandateId, command, spending, (events) =>
      draftWith(spentIn(events)),
    );
    if (outcome.kind === 'mismatch') return idempotencyMismatch();
    if (outcome.kind === 'rejected') return refuseSpend(services, call, command, outcome);
    const spent = spentIn(outcome.events);
    if (outcome.kind === 'replayed') return answerOnceMore(spent, services, call.caller);
    if (!outcome.hasSequel) {
      await afterEffect(draftJob(services, spent, spent.meta.actor, { beginsStream: true }));
    }
    return answered(spent, services, call.caller, false);
  },
});

type Offered = Extract<TrialOffer, { ok: true }>;

/** The ids follow from the command's, so that the same command again cannot name a second spend or job. */
function spendFor(input: TrialInput, offer: Offered, call: Call, keyId: string): SpendAgainstMandate {
  const { brief, inputs = null, expectedRecords = null, metadata = {}, notifyUrl = null } = input;
  const { agent, agency, amountCents } = offer;
  return {
    type: 'SpendAgainstMandate',
    spendId: idFrom('spend', call.at, call.commandId),
    keyId,
    action: 'trial:create',
    amountCents,
    order: {
      jobId: idFrom('job', call.at, call.commandId),
      agent,
      agency,
      brief,
      // A log may give them back in this order: the first answer is not to differ from a later one.
      inputs: inOrder(inputs),
      expectedRecords,
      metadata: inOrder(metadata),
      notifyUrl,
    },
  };
}

/** The process that spent may have died before it drafted the job. */
async function answerOnceMore(
  spent: SpentEvent,
  services: Services,
  caller: KeyHolder,
): Promise<Outcome<Job>> {
  await afterEffect(draftJob(services, spent, spent.meta.actor));
  return answered(spent, services, caller, true);
}

function answered(spent: SpentEvent, services: Services, caller: KeyHolder, replayed: boolean): Outcome<Job> {
  const job = draftedJob(draftOf(spent), spent.at);
  return { ok: true, data: showJob(job, services, caller), created: `/jobs/${job.id}`, replayed };
}
