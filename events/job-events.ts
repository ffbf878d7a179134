/** What happens to a job, from the draft that a spend leads to until its end: one stream `job-{jobId}`. */
import { z } from 'zod';
import { cents, counts, currency, sha256, slug, timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { trialOrderSchema } from './mandate-events.ts';
import { periodSchema } from './period.ts';
import { exampleEncrypted } from './private-text.ts';

const jobId = 'job_01kb3j5m8xe3vb0v6yq4s5t7wv';

/** A provider's name for a payment. */
const begunPaymentSchema = z.strictObject({
  provider: z.enum(['test', 'stripe', 'x402']),
  reference: z.string().min(1).max(255),
});
/** One payment funds one job. */
const paymentSchema = begunPaymentSchema.extend({ amountCents: cents });

export const jobEvents = [
  defineEvent({
    type: 'TrialDrafted',
    version: 2,
    summary: 'A spend became a draft job that waits for its payment.',
    data: trialOrderSchema.extend({
      accountId: idSchema('account'),
      keyId: idSchema('apiKey'),
      /** The spend it came from, and where in the mandate's stream it stands. */
      spend: z.strictObject({
        mandateId: idSchema('mandate'),
        spendId: idSchema('spend'),
        revision: z.int().min(0),
        period: periodSchema,
      }),
      amountCents: cents,
      currency,
      /** After this the draft expires unfunded and its spend is released. */
      fundingExpiresAt: timestamp,
    }),
    example: {
      jobId,
      agent: { slug: 'invoice-matcher', name: 'Invoice Matcher' },
      agency: 'ledgerworks',
      expectedRecords: 40,
      hasNotifyUrl: false,
      text: exampleEncrypted,
      accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
      keyId: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
      spend: {
        mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
        spendId: 'spd_01kb3j5m8xe3vb0v6yq4s5t7ww',
        revision: 7,
        period: '2026-11',
      },
      amountCents: 1_900,
      currency: 'usd',
      fundingExpiresAt: '2026-11-28T09:30:00.000Z',
    },
  }),
  defineEvent({
    type: 'JobFunded',
    summary: 'A payment for the job completed; its agency may start.',
    data: z.strictObject({
      jobId: idSchema('job'),
      payment: paymentSchema,
      /** The account that buys is one of the agency's own. */
      ofOwnAccount: z.literal(true).optional(),
    }),
    example: { jobId, payment: { provider: 'test', reference: 'test-payment-1', amountCents: 1_900 } },
  }),
  defineEvent({
    type: 'JobStarted',
    summary: 'The agency began to work on the job.',
    data: z.strictObject({ jobId: idSchema('job') }),
    example: { jobId },
  }),
  defineEvent({
    type: 'ArtifactAttached',
    summary: 'The agency delivered a file; the same name again replaces the earlier one.',
    data: z.strictObject({
      jobId: idSchema('job'),
      artifactId: idSchema('artifact'),
      name: z.string().min(1).max(200),
      contentType: z.string().max(200),
      sizeBytes: z.int().min(0),
      sha256,
    }),
    example: {
      jobId,
      artifactId: 'art_01kb3j5m8xe3vb0v6yq4s5t7wt',
      name: 'matches.csv',
      contentType: 'text/csv',
      sizeBytes: 18_204,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  }),
  defineEvent({
    type: 'JobCompleted',
    summary: 'The agency finished the job; where it counts, it is among the outcomes of its agent.',
    data: z.strictObject({ jobId: idSchema('job'), agent: slug, counts }),
    example: { jobId, agent: 'invoice-matcher' },
  }),
  defineEvent({
    type: 'JobFailed',
    summary:
      'The agency could not do the job and said why; where it counts, it is among the outcomes of its agent.',
    data: z.strictObject({
      jobId: idSchema('job'),
      agent: slug,
      code: z.string().min(1).max(64),
      message: z.string().max(2_000),
      counts,
    }),
    example: {
      jobId,
      agent: 'invoice-matcher',
      code: 'inputs_unreadable',
      message: 'The bank statement is an image without text.',
    },
  }),
  defineEvent({
    type: 'JobCancelled',
    summary: 'The owner gave up a draft before paying; its spend is released.',
    data: z.strictObject({ jobId: idSchema('job') }),
    example: { jobId },
  }),
  defineEvent({
    type: 'JobExpired',
    summary: 'A draft stayed unpaid until its time was over; its spend is released.',
    data: z.strictObject({ jobId: idSchema('job') }),
    example: { jobId },
  }),
  defineEvent({
    type: 'JobRefunded',
    summary: 'An operator gave the payment back and ended the job.',
    data: z.strictObject({ jobId: idSchema('job'), reason: z.string().max(500) }),
    example: { jobId, reason: 'The agency withdrew.' },
  }),
  defineEvent({
    type: 'PaymentPending',
    summary: 'A payment was begun and its outcome is not known yet; nobody is asked to pay again meanwhile.',
    data: z.strictObject({ jobId: idSchema('job'), payment: begunPaymentSchema }),
    example: { jobId, payment: { provider: 'stripe', reference: 'pi_3Q' } },
  }),
  defineEvent({
    type: 'PaymentFailed',
    summary: 'A payment that was begun is known to have come to nothing; the draft can be paid again.',
    data: z.strictObject({
      jobId: idSchema('job'),
      payment: begunPaymentSchema,
      reason: z.string().max(500),
    }),
    example: { jobId, payment: { provider: 'stripe', reference: 'pi_3Q' }, reason: 'The card was declined.' },
  }),
  defineEvent({
    type: 'PendingPaymentSettled',
    summary:
      'An operator said what came of a payment whose outcome stayed unknown; what follows from it stands right after.',
    data: z.strictObject({
      jobId: idSchema('job'),
      payment: begunPaymentSchema,
      outcome: z.enum(['paid', 'not_paid']),
      reason: z.string().max(500),
    }),
    example: {
      jobId,
      payment: { provider: 'stripe', reference: 'pi_3Q' },
      outcome: 'not_paid',
      reason: 'The bank says that the transfer was recalled (ticket 4712).',
    },
  }),
  defineEvent({
    type: 'SurplusPaymentReceived',
    summary: 'A payment came for a draft that was over or paid already: it is kept on record and given back.',
    data: z.strictObject({ jobId: idSchema('job'), payment: paymentSchema }),
    example: { jobId, payment: { provider: 'stripe', reference: 'pi_4R', amountCents: 1_900 } },
  }),
  defineEvent({
    type: 'PaymentReturned',
    summary: 'A payment was given back to whoever paid: the job was refunded, or did not need it.',
    data: z.strictObject({ jobId: idSchema('job'), payment: paymentSchema }),
    example: { jobId, payment: { provider: 'stripe', reference: 'pi_4R', amountCents: 1_900 } },
  }),
  defineEvent({
    type: 'RecordSecretIssued',
    summary: 'The owner demanded signed RECORD_CREATED posts: unsigned ones are refused from now on.',
    data: z.strictObject({
      jobId: idSchema('job'),
      /** The secret follows from the job and this number; each new one ends the one before a day later. */
      secretVersion: z.int().min(1),
    }),
    example: { jobId, secretVersion: 1 },
  }),
  defineEvent({
    type: 'JobLinksWithdrawn',
    summary: 'The owner withdrew the links that act on the job; only links made since work.',
    data: z.strictObject({
      jobId: idSchema('job'),
      /** Links carry the generation they were made in; those of an earlier one are void. */
      linkGeneration: z.int().min(1),
    }),
    example: { jobId, linkGeneration: 1 },
  }),
  defineEvent({
    type: 'OrderDisclosed',
    summary:
      'An operator read what the buyer wrote, for a reason; owners and auditors see who looked and why.',
    data: z.strictObject({ jobId: idSchema('job'), reason: z.string().max(500) }),
    example: { jobId, reason: 'The buyer disputes what was ordered (ticket 4711).' },
  }),
] as const;

export type JobFact = FactOf<(typeof jobEvents)[number]>;
