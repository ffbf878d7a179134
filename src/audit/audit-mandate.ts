/** The audit of one mandate: its stream replayed from the first event, verified, and its state at a moment. */
import type { Mandate } from '../../commands/mandate/mandate-state.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { PeriodTotals } from './period-totals.ts';
import { type AuditStep, type Finding, replayEvent, startOfReplay } from './replay-mandate.ts';

/** A report stays readable and bounded however broken a stream is. */
const MAX_FINDINGS = 100;

/** A mandate that is asked about was granted once: its stream was deleted, or the log has lost it. */
const NOTHING_THERE: Finding = {
  revision: 0,
  eventId: null,
  problem: 'its stream has no events: it was deleted, or the log has lost it',
};

export interface MandateAudit {
  readonly mandateId: string;
  readonly events: number;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** The hash of the last event: whoever keeps it can tell later whether anything up to here was changed. */
  readonly headHash: string;
  /** The mandate at the end, or as of the moment asked for. */
  readonly state: Mandate;
  readonly periods: PeriodTotals;
  readonly findings: readonly Finding[];
}

/** The whole stream is verified; state and totals are those after the last event that is not later than `asOf`. */
export async function auditMandate(
  events: Pick<EventStore, 'read'>,
  mandateId: string,
  asOf: string | null,
  onStep: (step: AuditStep) => void = () => {},
): Promise<MandateAudit> {
  let replay = startOfReplay();
  let then: Pick<MandateAudit, 'state' | 'periods'> | null = null;
  let firstAt: string | null = null;
  let lastAt: string | null = null;
  const findings: Finding[] = [];
  for await (const event of events.read(`mandate-${mandateId}`)) {
    const isLater = asOf !== null && event.at > asOf;
    if (isLater) then ??= { state: replay.state, periods: new Map(replay.periods) };
    else then = null;
    const { next, step } = replayEvent(replay, event);
    replay = next;
    firstAt ??= event.at;
    lastAt = event.at;
    findings.push(...step.findings.slice(0, MAX_FINDINGS - findings.length));
    if (!isLater) onStep(step);
  }
  const { events: count, headHash } = replay;
  if (count === 0) findings.push(NOTHING_THERE);
  const { state, periods } = then ?? replay;
  return {
    mandateId,
    events: count,
    firstAt,
    lastAt,
    headHash,
    state,
    periods,
    findings,
  };
}
