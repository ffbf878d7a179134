/**
 * Replays a mandate's stream and checks all that it claims: the hash chain, the sums that it carries, and that every
 * spend kept to the terms that were in force when it was made. It trusts nothing but the events themselves.
 */
import { evolveMandate, type Mandate, noMandate } from '../../commands/mandate/mandate-state.ts';
import { decodeEvent } from '../../events/catalog.ts';
import { timestamp } from '../../events/common.ts';
import type { Occurred, RecordedEvent } from '../../events/event.ts';
import { eventHashOrNull, GENESIS } from '../../events/hash-chain.ts';
import { type MandateFact, mandateEvents } from '../../events/mandate-events.ts';
import { claimProblems, type StandingSpend } from './mandate-claims.ts';
import { addTo, type PeriodTotal } from './period-totals.ts';

/** Something that the stream claims and that is not so. */
export interface Finding {
  readonly revision: number;
  /** Null where there is no event. */
  readonly eventId: string | null;
  readonly problem: string;
}

export interface AuditStep {
  readonly event: RecordedEvent;
  /** The mandate right after the event. */
  readonly state: Mandate;
  readonly findings: readonly Finding[];
}

/**
 * What a replay knows after some events: enough to go on with the next one. Its maps are those of the whole replay and
 * grow with it, for copies at each event would cost more than all the rest.
 */
export interface Replay {
  readonly state: Mandate;
  readonly events: number;
  readonly lastAt: string;
  readonly headHash: string;
  readonly periods: Map<string, PeriodTotal>;
  /** The spends that stand. */
  readonly spends: Map<string, StandingSpend>;
}

export function startOfReplay(): Replay {
  return {
    state: noMandate,
    events: 0,
    lastAt: '',
    headHash: GENESIS,
    periods: new Map(),
    spends: new Map(),
  };
}

/**
 * Takes in the next event of the stream, in order.
 * @param headHash its hash, where it cannot be worked out from what there is of it
 */
export function replayEvent(
  replay: Replay,
  event: RecordedEvent,
  headHash = eventHashOrNull(event),
): { readonly next: Replay; readonly step: AuditStep } {
  const found = (problem: string): Finding => ({ revision: event.revision, eventId: event.id, problem });
  const placed = [...placeProblems(replay, event), ...(headHash === null ? [NO_HASH] : [])];
  const seen = { ...replay, events: replay.events + 1, lastAt: event.at, headHash: headHash ?? '' };
  const fact = mandateFactOf(event);
  if (fact === null) {
    const findings = [...placed, 'it is no event of a mandate as the catalogue has them'].map(found);
    return { next: seen, step: { event, state: replay.state, findings } };
  }
  const findings = [...placed, ...claimProblems(replay, fact)].map(found);
  const state = evolveMandate(replay.state, fact);
  keepSpend(replay.spends, fact);
  addTo(replay.periods, fact);
  return { next: { ...seen, state }, step: { event, state, findings } };
}

const NO_HASH = 'it holds half a character, and so has no hash';

function placeProblems({ events, lastAt, headHash }: Replay, event: RecordedEvent): readonly string[] {
  const problems: string[] = [];
  if (event.revision !== events) problems.push(`revision ${events} was expected here`);
  if (event.meta.prev !== headHash) problems.push('its predecessor is not the one it was written after');
  if (event.at < lastAt && event.type !== 'MandatePeriodCorrected')
    problems.push('its time is before that of its predecessor');
  return problems;
}

function keepSpend(spends: Map<string, StandingSpend>, fact: Occurred<MandateFact>): void {
  if (fact.type === 'SpendReleased') spends.delete(fact.data.spendId);
  if (fact.type === 'MandatePeriodCorrected')
    for (const [id, spend] of spends) spends.set(id, { ...spend, isUncounted: true });
  if (fact.type === 'SpendRecovered') {
    const { spendId, jobId, period, amountCents } = fact.data;
    spends.set(spendId, { jobId, period, amountCents });
  }
  if (fact.type !== 'MandateSpent') return;
  const { spendId, period, amountCents, order } = fact.data;
  spends.set(spendId, { jobId: order.jobId, period, amountCents });
}

/** The fact, or null where the event is none of a mandate, or has data or a time that cannot be: an audit goes on. */
function mandateFactOf(event: RecordedEvent): Occurred<MandateFact> | null {
  if (!mandateEvents.some(({ type }) => type === event.type)) return null;
  if (!timestamp.safeParse(event.at).success) return null;
  try {
    // Its type is one of a mandate's, and the catalogue has parsed its data by it.
    return decodeEvent(event) as unknown as Occurred<MandateFact>;
  } catch {
    return null;
  }
}
