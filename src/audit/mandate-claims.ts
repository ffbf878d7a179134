/** What an event of a mandate claims about the past, held against what a replay has seen of it. */
import { violations } from '../../commands/mandate/controls.ts';
import { type GrantedMandate, type Mandate, totalsAt } from '../../commands/mandate/mandate-state.ts';
import { canonicalJson } from '../../events/canonical-json.ts';
import type { Occurred } from '../../events/event.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { periodOf } from '../../events/period.ts';
import { type PeriodTotals, totalFrom } from './period-totals.ts';

type Claim<T extends MandateFact['type']> = Extract<Occurred<MandateFact>, { type: T }>;

/** Of a spend that stands, what its release must say again. */
export interface StandingSpend {
  readonly jobId: string;
  readonly period: string;
  readonly amountCents: number;
  /** The period was corrected since: its release gives nothing back. */
  readonly isUncounted?: true;
}

/** What a replay knows before an event. */
export interface Past {
  readonly state: Mandate;
  readonly periods: PeriodTotals;
  /** By their ids, the spends that were made and not given back. */
  readonly spends: ReadonlyMap<string, StandingSpend>;
}

/** What is wrong with the event, in words; nothing if all that it claims is so. */
export function claimProblems(past: Past, fact: Occurred<MandateFact>): readonly string[] {
  const { state } = past;
  if (fact.type === 'MandateGranted')
    return state.status === 'absent' ? [] : ['the mandate was granted before'];
  if (state.status === 'absent') return ['the mandate had not been granted'];
  switch (fact.type) {
    case 'MandateSpent':
      return spendProblems(past, state, fact);
    case 'SpendRecovered':
      return past.spends.has(fact.data.spendId) ? [`the spend ${fact.data.spendId} was not lost`] : [];
    case 'SpendReleased':
      return releaseProblems(past, fact);
    case 'MandatePeriodOpened':
    case 'MandateBalanceCarried':
      return snapshotProblems(past, state, fact);
    case 'MandatePeriodCorrected':
      return correctionProblems(past, state, fact);
    default:
      return ALLOWED_WHILE[fact.type].includes(state.status)
        ? []
        : [`the mandate was ${state.status}, which does not allow this`];
  }
}

type StatusFact = 'MandateAmended' | 'MandateSuspended' | 'MandateResumed' | 'MandateRevoked';
const ALLOWED_WHILE: Readonly<Record<StatusFact, readonly GrantedMandate['status'][]>> = {
  MandateAmended: ['active', 'suspended'],
  MandateSuspended: ['active'],
  MandateResumed: ['suspended'],
  MandateRevoked: ['active', 'suspended'],
};

function spendProblems(
  { periods, spends }: Past,
  state: GrantedMandate,
  { data, at }: Claim<'MandateSpent'>,
): readonly string[] {
  const { spendId, accountId, period, amountCents, action, order, spentThisPeriodCents } = data;
  const payee = { agency: order.agency, agent: order.agent.slug };
  const expected = totalsAt(state, at).period;
  const problems = violations(state, { action, amountCents, payee }, at).map(
    ({ reason }) => `the terms did not allow this spend (${reason})`,
  );
  if (period !== expected) problems.push(`it is counted in ${period} and belongs to ${expected}`);
  if (accountId !== state.accountId) problems.push('it names another account');
  if (spends.has(spendId)) problems.push(`the spend ${spendId} was made before`);
  problems.push(...sumProblems(periods, period, amountCents, spentThisPeriodCents));
  return problems;
}

function releaseProblems({ spends }: Past, { data }: Claim<'SpendReleased'>): readonly string[] {
  const spend = spends.get(data.spendId);
  if (spend === undefined) return [`no spend ${data.spendId} stands that could be given back`];
  const isWhatWasSpent = spend.period === data.period && spend.amountCents === data.amountCents;
  return [
    ...(isWhatWasSpent ? [] : [`it gives back other than ${spend.amountCents} cents in ${spend.period}`]),
    ...(spend.jobId === data.jobId ? [] : ['it names another job']),
    ...(spend.isUncounted === data.uncounted ? [] : ['it gives back what was counted before a correction']),
  ];
}

const CARRIED = ['mandateId', 'accountId', 'status', 'terms', 'period', 'spendCount'] as const;
type Corrected = Claim<'MandatePeriodCorrected'>;

function snapshotProblems(
  { periods }: Past,
  state: GrantedMandate,
  { data, at }: Claim<'MandatePeriodOpened' | 'MandateBalanceCarried'>,
): readonly string[] {
  const { mandateId, accountId, status, terms } = state;
  const { period, spendCount } = totalsAt(state, at);
  const expected = { mandateId, accountId, status, terms, period, spendCount };
  const changed = CARRIED.filter((name) => canonicalJson(expected[name]) !== canonicalJson(data[name]));
  return [
    ...changed.map((name) => `it carries another ${name}`),
    ...sumProblems(periods, data.period, 0, data.spentCents),
  ];
}

/** It goes back to the month of its own time, and counts there all that was counted since that month began. */
function correctionProblems(
  { periods }: Past,
  { mandateId, accountId, status, terms, period: from }: GrantedMandate,
  { data, at }: Corrected,
): readonly string[] {
  const { spends, releases, netCents } = totalFrom(periods, data.period);
  const sums = { spentCents: netCents, spendCount: spends - releases };
  const expected = { mandateId, accountId, status, terms, from, period: periodOf(at), ...sums };
  const named = Object.keys(expected) as readonly (keyof typeof expected)[];
  const wrong = named.filter((name) => canonicalJson(expected[name]) !== canonicalJson(data[name]));
  return [
    ...wrong.map((name) => `it carries another ${name}`),
    ...(data.period < from ? [] : ['there was no later period to put right']),
  ];
}

function sumProblems(
  periods: PeriodTotals,
  period: string,
  addedCents: number,
  claimedCents: number,
): readonly string[] {
  const replayed = (periods.get(period)?.netCents ?? 0) + addedCents;
  if (replayed === claimedCents) return [];
  return [`it claims ${claimedCents} cents spent in ${period}, the events add up to ${replayed}`];
}
