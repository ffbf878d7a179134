/** Decides what an account is alerted to about a mandate: each threshold once a month, denials not again and again. */
import type { AlertFact } from '../../events/alert-events.ts';
import type { Occurred } from '../../events/event.ts';
import { accept, assertNever, type Decider, type Decision } from '../decider.ts';

export interface NoteThreshold {
  readonly type: 'NoteThreshold';
  readonly reached: Extract<AlertFact, { type: 'MandateThresholdReached' }>['data'];
}

export interface NoteDenial {
  readonly type: 'NoteDenial';
  readonly denied: Omit<Extract<AlertFact, { type: 'MandateDenialTold' }>['data'], 'reached'>;
}

export type AlertCommand = NoteThreshold | NoteDenial;

export interface Alerts {
  /** The latest month in which a threshold was reached, and the highest that was. */
  readonly period: string;
  readonly percent: number;
  /** When a denial was told last; null before the first. */
  readonly deniedAt: string | null;
}

/** A flood of denials is one message in this time. */
const DENIAL_PAUSE_MS = 10 * 60 * 1_000;

const NOTHING_REACHED = { period: '', percent: 0 };

export const alertsDecider: Decider<Alerts, AlertCommand, AlertFact, never> = {
  family: 'alerts',
  initial: { ...NOTHING_REACHED, deniedAt: null },
  evolve,
  decide,
  isSnapshot: (type, data) => type === 'MandateDenialTold' && 'reached' in data,
};

function evolve(alerts: Alerts, event: Occurred<AlertFact>): Alerts {
  switch (event.type) {
    case 'MandateThresholdReached':
      return { ...alerts, period: event.data.period, percent: event.data.percent };
    case 'MandateDenialTold':
      return { ...reachedIn(event.data, alerts), deniedAt: event.at };
    default:
      return assertNever(event);
  }
}

function reachedIn(
  { reached }: Extract<AlertFact, { type: 'MandateDenialTold' }>['data'],
  before: Alerts,
): Omit<Alerts, 'deniedAt'> {
  return reached === undefined ? before : (reached ?? NOTHING_REACHED);
}

function decide(command: AlertCommand, alerts: Alerts, at: string): Decision<AlertFact, never> {
  switch (command.type) {
    case 'NoteThreshold': {
      const { period, percent } = command.reached;
      const isKnown = period < alerts.period || (period === alerts.period && percent <= alerts.percent);
      return isKnown ? accept() : accept({ type: 'MandateThresholdReached', data: command.reached });
    }
    case 'NoteDenial': {
      const sinceMs = alerts.deniedAt === null ? Infinity : Date.parse(at) - Date.parse(alerts.deniedAt);
      return sinceMs < DENIAL_PAUSE_MS
        ? accept()
        : accept({ type: 'MandateDenialTold', data: { ...command.denied, reached: reachedSoFar(alerts) } });
    }
    default:
      return assertNever(command);
  }
}

function reachedSoFar({ period, percent }: Alerts): Pick<Alerts, 'period' | 'percent'> | null {
  return percent === 0 ? null : { period, percent };
}
