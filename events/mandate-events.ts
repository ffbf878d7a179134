/** What happens to a spending mandate: one chained stream `mandate-{mandateId}`, its denials beside it. */
import { z } from 'zod';
import { cents, currency, jsonValue, slug, timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { periodSchema } from './period.ts';
import { exampleEncrypted, privateText } from './private-text.ts';

/** An action that a mandate can allow, written `noun:verb`. */
export const actionSchema = z
  .string()
  .max(64)
  .regex(/^[a-z]+(-[a-z]+)*:[a-z]+(-[a-z]+)*$/, 'must be an action such as trial:create');

/** What the holder of the key may do. Null means that this control is not set. An unknown control is refused. */
export const termsSchema = z.strictObject({
  maxPerTransactionCents: cents,
  maxMonthlyCents: cents,
  allowedActions: z.array(actionSchema).max(32),
  validFrom: timestamp.nullable(),
  expiresAt: timestamp.nullable(),
  maxSpendsPerMonth: z.int().min(0).nullable(),
  allowedAgencies: z.array(slug).max(200).nullable(),
  allowedAgents: z.array(slug).max(200).nullable(),
});
export type MandateTerms = z.output<typeof termsSchema>;

/** The whole state of a mandate, carried forward so that nothing before it has to be read. */
const carriedSchema = z.strictObject({
  mandateId: idSchema('mandate'),
  accountId: idSchema('account'),
  status: z.enum(['active', 'suspended']),
  terms: termsSchema,
  period: periodSchema,
  spentCents: cents,
  spendCount: z.int().min(0),
  /** Once the period was corrected: spends up to this revision are given back to nobody. Absent before. */
  correctedTo: z.int().min(0).optional(),
});

/** What a buyer writes freely of an order. */
const orderTextSchema = z.strictObject({
  brief: z.string().max(8_000),
  inputs: z.record(z.string(), jsonValue).nullable(),
  metadata: z.record(z.string(), z.string()),
  notifyUrl: z.string().nullable(),
});
export type OrderText = z.output<typeof orderTextSchema>;

/** What the buyer asked for; the job is made from it (TrialDrafted). */
export const trialOrderSchema = z.strictObject({
  jobId: idSchema('job'),
  agent: z.strictObject({ slug, name: z.string() }),
  agency: slug,
  expectedRecords: z.int().min(0).nullable(),
  /** Whether the text names a notifyUrl: most name none, and need not be decrypted to know it. */
  hasNotifyUrl: z.boolean(),
  /** Of the account that spends. */
  text: privateText(orderTextSchema),
});
export type TrialOrder = z.output<typeof trialOrderSchema>;

export const exampleTerms: MandateTerms = {
  maxPerTransactionCents: 5_000,
  maxMonthlyCents: 20_000,
  allowedActions: ['trial:create'],
  validFrom: null,
  expiresAt: '2027-01-01T00:00:00.000Z',
  maxSpendsPerMonth: null,
  allowedAgencies: null,
  allowedAgents: null,
};
const mandateId = 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz';
const accountId = 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy';
const keyId = 'key_01kb3j5m8xe3vb0v6yq4s5t7wx';
const exampleCarried: z.output<typeof carriedSchema> = {
  mandateId,
  accountId,
  status: 'active',
  terms: exampleTerms,
  period: '2026-11',
  spentCents: 4_000,
  spendCount: 2,
};
const exampleOrder: TrialOrder = {
  jobId: 'job_01kb3j5m8xe3vb0v6yq4s5t7wv',
  agent: { slug: 'invoice-matcher', name: 'Invoice Matcher' },
  agency: 'ledgerworks',
  expectedRecords: 40,
  hasNotifyUrl: false,
  text: exampleEncrypted,
};

export const mandateEvents = [
  defineEvent({
    type: 'MandateGranted',
    summary:
      'An account gave a key holder the right to spend within terms; the first event of every mandate.',
    data: z.strictObject({
      mandateId: idSchema('mandate'),
      accountId: idSchema('account'),
      terms: termsSchema,
    }),
    example: { mandateId, accountId, terms: exampleTerms },
  }),
  defineEvent({
    type: 'MandateAmended',
    summary: 'The terms were replaced from this moment on; what was spent in the period stays counted.',
    data: z.strictObject({ terms: termsSchema }),
    example: { terms: { ...exampleTerms, maxMonthlyCents: 30_000 } },
  }),
  defineEvent({
    type: 'MandateSuspended',
    summary: 'Spending was paused; every spend is refused until the mandate is resumed.',
    data: z.strictObject({ reason: z.string().max(500) }),
    example: { reason: 'The agent bought the same trial twice.' },
  }),
  defineEvent({
    type: 'MandateResumed',
    summary: 'A suspended mandate may be spent against again.',
    data: z.strictObject({}),
    example: {},
  }),
  defineEvent({
    type: 'MandateRevoked',
    summary: 'Spending ended for good; auditors see who ended it and when.',
    data: z.strictObject({ reason: z.string().max(500) }),
    example: { reason: 'The key was revoked.' },
  }),
  defineEvent({
    type: 'MandatePeriodOpened',
    summary:
      'The first change within a calendar month opened a new period: totals start again, terms are carried forward.',
    data: carriedSchema,
    example: { ...exampleCarried, period: '2026-12', spentCents: 0, spendCount: 0 },
  }),
  defineEvent({
    type: 'MandateBalanceCarried',
    summary:
      'After many events the balance was carried forward, so that a mandate loads as fast in its tenth year.',
    data: carriedSchema,
    example: exampleCarried,
  }),
  defineEvent({
    type: 'MandatePeriodCorrected',
    summary:
      'An operator put right a mandate that a fast clock had carried into a later month: all that was counted since counts in the month that it is.',
    data: carriedSchema.required({ correctedTo: true }).extend({
      /** The later month that had been opened. */
      from: periodSchema,
      reason: z.string().min(1).max(500),
    }),
    example: {
      ...exampleCarried,
      correctedTo: 7,
      from: '2027-03',
      reason: 'The clock of this machine was four months fast on 28 November.',
    },
  }),
  defineEvent({
    type: 'MandateSpent',
    version: 2,
    summary:
      'A spend was authorised and counted; it holds all that the job needs, so that every spend has its job.',
    data: z.strictObject({
      spendId: idSchema('spend'),
      keyId: idSchema('apiKey'),
      accountId: idSchema('account'),
      period: periodSchema,
      amountCents: cents,
      currency,
      action: actionSchema,
      /** The period's total with this spend in it. */
      spentThisPeriodCents: cents,
      order: trialOrderSchema,
      /** Percents of the monthly cap that the month's total came to with it; absent where it came to none. */
      reaches: z.array(z.int().min(1).max(100)).max(2).optional(),
    }),
    example: {
      spendId: 'spd_01kb3j5m8xe3vb0v6yq4s5t7ww',
      keyId,
      accountId,
      period: '2026-11',
      amountCents: 1_900,
      currency: 'usd',
      action: 'trial:create',
      spentThisPeriodCents: 5_900,
      order: exampleOrder,
    },
  }),
  defineEvent({
    type: 'SpendReleased',
    summary:
      'A spend came to nothing (its draft was cancelled or expired) and was given back to the period it was made in.',
    data: z.strictObject({
      spendId: idSchema('spend'),
      jobId: idSchema('job'),
      period: periodSchema,
      amountCents: cents,
      reason: z.enum(['job_cancelled', 'job_expired']),
      /** The period was corrected since the spend, which stays counted: nothing is given back. */
      uncounted: z.literal(true).optional(),
    }),
    example: {
      spendId: 'spd_01kb3j5m8xe3vb0v6yq4s5t7ww',
      jobId: exampleOrder.jobId,
      period: '2026-11',
      amountCents: 1_900,
      reason: 'job_cancelled',
    },
  }),
  defineEvent({
    type: 'SpendRecovered',
    summary:
      'A spend that was acknowledged and that the log had lost counts again, as a view still knew it; its job is gone. An operator had accepted the loss.',
    data: z.strictObject({
      spendId: idSchema('spend'),
      jobId: idSchema('job'),
      keyId: idSchema('apiKey'),
      period: periodSchema,
      amountCents: cents,
      /** When it was made. */
      spentAt: timestamp,
    }),
    example: {
      spendId: 'spd_01kb3j5m8xe3vb0v6yq4s5t7ww',
      jobId: exampleOrder.jobId,
      keyId,
      period: '2026-11',
      amountCents: 1_900,
      spentAt: '2026-11-27T09:30:00.000Z',
    },
  }),
] as const;

/** In the order in which the controls are tested: a denial names the first that is violated. */
export const DENIAL_REASONS = [
  'mandate_revoked',
  'mandate_suspended',
  'mandate_not_yet_valid',
  'mandate_expired',
  'action_not_allowed',
  'payee_not_allowed',
  'transaction_cap',
  'spend_count',
  'monthly_cap',
] as const;
export type DenialReason = (typeof DENIAL_REASONS)[number];

/** In a stream of their own (`denials-{mandateId}`), so that a flood of denials cannot slow down a spend. */
export const denialEvents = [
  defineEvent({
    type: 'SpendDenied',
    summary: 'A mandate refused a spend; auditors and owners see what was tried and which controls held.',
    data: z.strictObject({
      mandateId: idSchema('mandate'),
      keyId: idSchema('apiKey'),
      amountCents: cents,
      action: actionSchema,
      payee: z.strictObject({ agency: slug, agent: slug }),
      reasons: z.array(z.enum(DENIAL_REASONS)).min(1),
      /** Denials of this mandate since the one before that were not recorded; absent where there were none. */
      leftOut: z.int().min(1).optional(),
    }),
    example: {
      mandateId,
      keyId,
      amountCents: 90_000,
      action: 'trial:create',
      payee: { agency: 'ledgerworks', agent: 'invoice-matcher' },
      reasons: ['transaction_cap', 'monthly_cap'],
    },
  }),
] as const;

export type MandateFact = FactOf<(typeof mandateEvents)[number]>;
export type DenialFact = FactOf<(typeof denialEvents)[number]>;
