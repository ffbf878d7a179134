/** A mandate for tests: its events and commands with only what matters spelled out. */
import type { Violation } from '../../commands/mandate/controls.ts';
import type { MandateRejection } from '../../commands/mandate/rejections.ts';
import type { SpendAgainstMandate } from '../../commands/mandate/spend-against-mandate.ts';
import type { GrantMandate } from '../../commands/mandate/grant-mandate.ts';
import type { ReleaseSpend } from '../../commands/mandate/release-spend.ts';
import type { Occurred } from '../../events/event.ts';
import { idFrom } from '../../events/ids.ts';
import type { MandateFact, MandateTerms, OrderText, TrialOrder } from '../../events/mandate-events.ts';
import { periodOf } from '../../events/period.ts';

export const AT = '2026-11-27T09:30:00.000Z';
export const mandateId = idFrom('mandate', AT, 'the mandate');
export const accountId = idFrom('account', AT, 'the account');
export const keyId = idFrom('apiKey', AT, 'the key');

export type DataOf<T extends MandateFact['type']> = Extract<MandateFact, { type: T }>['data'];

/** 50.00 at a time, 200.00 a month, nothing else set. */
export function terms(overrides: Partial<MandateTerms> = {}): MandateTerms {
  return {
    maxPerTransactionCents: 5_000,
    maxMonthlyCents: 20_000,
    allowedActions: ['trial:create'],
    validFrom: null,
    expiresAt: null,
    maxSpendsPerMonth: null,
    allowedAgencies: null,
    allowedAgents: null,
    ...overrides,
  };
}

export function order(name: string, overrides: Partial<TrialOrder> = {}): TrialOrder {
  return {
    jobId: idFrom('job', AT, name),
    agent: { slug: 'invoice-matcher', name: 'Invoice Matcher' },
    agency: 'ledgerworks',
    expectedRecords: null,
    hasNotifyUrl: false,
    text: orderText(),
    ...overrides,
  };
}

/** In clear, as releases before wrote it: nothing but who reads it asks what it says. */
export function orderText(overrides: Partial<OrderText> = {}): TrialOrder['text'] {
  const text = { brief: 'Match the invoices of October.', inputs: null, metadata: {}, notifyUrl: null };
  return { clear: { ...text, ...overrides } };
}

export function grant(overrides: Partial<MandateTerms> = {}): GrantMandate {
  return { type: 'GrantMandate', mandateId, accountId, terms: terms(overrides) };
}

/** A wish to spend; `name` tells spends apart. */
export function spend(
  amountCents: number,
  name = 'a spend',
  overrides: Partial<SpendAgainstMandate> = {},
): SpendAgainstMandate {
  return {
    type: 'SpendAgainstMandate',
    spendId: idFrom('spend', AT, name),
    keyId,
    action: 'trial:create',
    amountCents,
    order: order(name),
    ...overrides,
  };
}

export function release(amountCents: number, period: string, name = 'a spend'): ReleaseSpend {
  return {
    type: 'ReleaseSpend',
    spendId: idFrom('spend', AT, name),
    jobId: idFrom('job', AT, name),
    period,
    revision: 1,
    amountCents,
    reason: 'job_cancelled',
  };
}

/** What a wish to spend becomes when it is granted. */
export function spentFact(
  wish: SpendAgainstMandate,
  period: string,
  spentThisPeriodCents: number,
  /** Percents of the monthly cap that are reached with it. */
  ...reaches: number[]
): Extract<MandateFact, { type: 'MandateSpent' }> {
  const { spendId, action, amountCents, order } = wish;
  const counted = { period, amountCents, spentThisPeriodCents, currency: 'usd' } as const;
  const reached = reaches.length === 0 ? {} : { reaches };
  return { type: 'MandateSpent', data: { spendId, keyId, accountId, action, order, ...counted, ...reached } };
}

export function releasedFact(wish: ReleaseSpend): Extract<MandateFact, { type: 'SpendReleased' }> {
  const { spendId, jobId, period, amountCents, reason } = wish;
  return { type: 'SpendReleased', data: { spendId, jobId, period, amountCents, reason } };
}

export function denied(...violations: [Violation, ...Violation[]]): MandateRejection {
  return { kind: 'denied', violations };
}

export function carried(
  overrides: Partial<DataOf<'MandateBalanceCarried'>> = {},
): DataOf<'MandateBalanceCarried'> {
  const totals = { period: periodOf(AT), spentCents: 0, spendCount: 0 };
  return { mandateId, accountId, status: 'active', terms: terms(), ...totals, ...overrides };
}

export function granted(at: string, overrides: Partial<MandateTerms> = {}): Occurred<MandateFact> {
  return { type: 'MandateGranted', data: { mandateId, accountId, terms: terms(overrides) }, at };
}

export function amended(at: string, overrides: Partial<MandateTerms>): Occurred<MandateFact> {
  return { type: 'MandateAmended', data: { terms: terms(overrides) }, at };
}

export function suspended(at: string): Occurred<MandateFact> {
  return { type: 'MandateSuspended', data: { reason: 'a look is needed' }, at };
}

export function resumed(at: string): Occurred<MandateFact> {
  return { type: 'MandateResumed', data: {}, at };
}

export function revoked(at: string): Occurred<MandateFact> {
  return { type: 'MandateRevoked', data: { reason: 'the key was lost' }, at };
}

/** A spend in the month that `at` lies in; what it claims as the month's total plays no part in folding. */
export function spent(at: string, amountCents: number, name = 'a spend'): Occurred<MandateFact> {
  return { ...spentFact(spend(amountCents, name), periodOf(at), amountCents), at };
}

export function released(
  at: string,
  amountCents: number,
  period: string,
  name = 'a spend',
): Occurred<MandateFact> {
  return { ...releasedFact(release(amountCents, period, name)), at };
}

export function periodOpened(
  at: string,
  overrides: Partial<DataOf<'MandatePeriodOpened'>> = {},
): Occurred<MandateFact> {
  return { type: 'MandatePeriodOpened', data: carried({ period: periodOf(at), ...overrides }), at };
}

export function balanceCarried(
  at: string,
  overrides: Partial<DataOf<'MandateBalanceCarried'>>,
): Occurred<MandateFact> {
  return { type: 'MandateBalanceCarried', data: carried({ period: periodOf(at), ...overrides }), at };
}
