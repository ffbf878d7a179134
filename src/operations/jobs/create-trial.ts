/** A trial is one wish and two streams: the spend decides and is counted, the draft job follows from it. */
import type { SpendAgainstMandate } from '../../../commands/mandate/spend-against-mandate.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { idBeside, idFrom } from '../../../events/ids.ts';
import type { OrderText } from '../../../events/mandate-events.ts';
import { draftedJob, type JobDocument } from '../../../projections/jobs.ts';
import { afterEffect } from '../after-effect.ts';
import { commandCall, idempotencyMismatch, privateCall } from '../idempotency.ts';
import { refuseSpend } from '../mandates/refuse-spend.ts';
import { defineOperation, type KeyedCall, type KeyHolder, type Outcome } from '../operation.ts';
import type { AccountCipher } from '../private-texts/account-cipher.ts';
import { ofOrder } from '../private-texts/private-texts.ts';
import { refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import { draftJob, draftOf, draftWith, type SpentEvent, spentIn } from './draft-job.ts';
import { exampleJob, type Job, jobSchema } from './job-schema.ts';
import { showJob, showJobWith } from './show-job.ts';
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
  makesTrial: true,
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
    const { mandateId, accountId } = call.caller;
    const cipher = await services.privateTexts.cipherOf(accountId);
    if (cipher === null) return refuse('conflict', 'the account was erased');
    const spending = privateCall(commandCall(call), cipher);
    const offer = await trialOffer(services, input.agent, input.maxAmountCents);
    if (!offer.ok) {
      // What was bought before stays bought, whatever became of the listing since.
      const before = await services.commands.findPrevious(mandateDecider, mandateId, spending);
      if (before?.kind === 'mismatch') return idempotencyMismatch();
      return before === null ? offer : answerOnceMore(spentIn(before.events), services, call.caller);
    }
    const text = textOf(input);
    const command = spendFor(input, offer, call, cipher, text);
    const outcome = await services.commands.run(mandateDecider, mandateId, command, spending, (events) =>
      draftWith(spentIn(events)),
    );
    if (outcome.kind === 'mismatch') return idempotencyMismatch();
    if (outcome.kind === 'rejected') return refuseSpend(services, call, command, outcome);
    const spent = spentIn(outcome.events);
    if (outcome.kind === 'replayed') return answerOnceMore(spent, services, call.caller);
    if (!outcome.hasDependent) {
      await afterEffect(draftJob(services, spent, spent.meta.actor, { beginsStream: true }));
    }
    return answered(showJobWith(jobOf(spent), text.metadata, services, call.caller), false);
  },
});

type Offered = Extract<TrialOffer, { ok: true }>;

function textOf(input: TrialInput): OrderText {
  const { brief, inputs = null, metadata = {}, notifyUrl = null } = input;
  return { brief, inputs, metadata, notifyUrl };
}

/** The ids follow from the command's, so that the same command again cannot name a second spend or job. */
function spendFor(
  input: TrialInput,
  { agent, agency, amountCents }: Offered,
  call: KeyedCall,
  cipher: AccountCipher,
  text: OrderText,
): SpendAgainstMandate {
  const { expectedRecords = null } = input;
  const spendId = idFrom('spend', call.at, call.commandId);
  return {
    type: 'SpendAgainstMandate',
    spendId,
    keyId: call.caller.keyId,
    action: 'trial:create',
    amountCents,
    order: {
      jobId: idBeside('job', spendId),
      agent,
      agency,
      expectedRecords,
      hasNotifyUrl: text.notifyUrl !== null,
      text: cipher.encrypt(ofOrder(spendId), JSON.stringify(text)),
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
  return answered(await afterEffect(showJob(jobOf(spent), services, caller)), true);
}

function jobOf(spent: SpentEvent): JobDocument {
  return draftedJob(draftOf(spent), spent.at);
}

function answered(job: Job, replayed: boolean): Outcome<Job> {
  return { ok: true, data: job, created: `/jobs/${job.id}`, replayed };
}
