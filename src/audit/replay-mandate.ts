/**
 * Replays a mandate's stream and checks all that it claims: the hash chain, the sums that it carries, and that every
 * spend kept to the terms that were in force when it was made. It trusts nothing but the events themselves.
 */
import { violations } from '../../commands/mandate/controls.ts';
import { evolveMandate, type Mandate, noMandate } from '../../commands/mandate/mandate-state.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { Occurred, RecordedEvent } from '../../events/event.ts';
import { eventHash, GENESIS } from '../../events/hash-chain.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { type PeriodTotals, totalled } from './period-totals.ts';

/** Something that the stream claims and that is not so. */
export interface Finding {
  readonly revision: number;
  readonly eventId: string;
  readonly problem: string;
}

export interface AuditStep {
  readonly event: RecordedEvent;
  /** The mandate right after the event. */
  readonly state: Mandate;
  readonly findings: readonly Finding[];
}

/** What a replay knows after some events: enough to go on with the next one. */
export interface Replay {
  readonly state: Mandate;
  readonly events: number;
  readonly headHash: string;
  readonly periods: PeriodTotals;
}

export const startOfReplay: Replay = { state: noMandate, events: 0, headHash: GENESIS, periods: new Map() };

/** Takes in the next event of the stream, in order. */
export function replayEvent(
  replay: Replay,
  event: RecordedEvent,
): { readonly next: Replay; readonly step: AuditStep } {
  const found = (problem: string): Finding => ({ revision: event.revision, eventId: event.id, problem });
  const links = chainProblems(replay, event);
  const fact = mandateFactOf(event);
  if (fact === null) {
    const next = { ...replay, events: replay.events + 1, headHash: eventHash(event) };
    const findings = [...links, 'its data are not what the catalogue says'].map(found);
    return { next, step: { event, state: replay.state, findings } };
  }
  const state = evolveMandate(replay.state, fact);
  const periods = totalled(replay.periods, fact);
  const problems = [...links, ...claimProblems(replay, fact, periods)];
  const next = { state, events: replay.events + 1, headHash: eventHash(event), periods };
  return { next, step: { event, state, findings: problems.map(found) } };
}

function chainProblems({ events, headHash }: Replay, event: RecordedEvent): readonly string[] {
  const problems: string[] = [];
  if (event.revision !== events) problems.push(`revision ${events} was expected here`);
  if (event.meta.prev !== headHash) problems.push('its predecessor is not the one it was written after');
  return problems;
}

/** What the event says about the past, against what the replay has seen of it. */
function claimProblems(
  { state }: Replay,
  fact: Occurred<MandateFact>,
  periods: PeriodTotals,
): readonly string[] {
  if (fact.type === 'MandateGranted')
    return state.status === 'absent' ? [] : ['the mandate was granted before'];
  if (state.status === 'absent') return ['the mandate had not been granted'];
  switch (fact.type) {
    case 'MandateSpent': {
      const { period, amountCents, action, order, spentThisPeriodCents } = fact.data;
      const payee = { agency: order.agency, agent: order.agent.slug };
      const violated = violations(state, { action, amountCents, payee }, fact.at);
      const broken = violated.map(({ reason }) => `the terms did not allow this spend (${reason})`);
      return [...broken, ...sumProblems(periods, period, spentThisPeriodCents)];
    }
    case 'MandatePeriodOpened':
    case 'MandateBalanceCarried': {
      const { period, spentCents, terms } = fact.data;
      const changed = JSON.stringify(terms) === JSON.stringify(state.terms) ? [] : ['it carries other terms'];
      return [...changed, ...sumProblems(periods, period, spentCents)];
    }
    default:
      return [];
  }
}

function sumProblems(periods: PeriodTotals, period: string, claimedCents: number): readonly string[] {
  const replayed = periods.get(period)?.netCents ?? 0;
  if (replayed === claimedCents) return [];
  return [`it claims ${claimedCents} cents spent in ${period}, the events before it add up to ${replayed}`];
}

/** The fact, or null where the stored event breaks its schema: an audit goes on and says so. */
function mandateFactOf(event: RecordedEvent): Occurred<MandateFact> | null {
  try {
    const decoded = decodeEvent(event);
    // Only mandate events are written to a mandate's stream; another type would fall through every case above.
    return decoded as unknown as Occurred<MandateFact>;
  } catch {
    return null;
  }
}
