/** An agency: a provider of agents and bundles, registered once and revised at will. */
import type { AgencyFact, AgencyProfile } from '../../events/agency-events.ts';
import { orderedJson } from '../../events/canonical-json.ts';
import type { Occurred } from '../../events/event.ts';
import { changesOfDay, freeAgainAt } from '../changes-a-day.ts';
import {
  accept,
  assertNever,
  type Decider,
  type Decision,
  preceded,
  reject,
  SNAPSHOT_EVERY_EVENTS,
} from '../decider.ts';

/** States how a profile shall read: registers the agency, revises it, or does nothing when it reads so already. */
export interface RegisterAgency {
  readonly type: 'RegisterAgency';
  readonly agency: string;
  readonly profile: AgencyProfile;
}

/** Changes some fields of a profile and leaves the others. */
export interface ReviseAgency {
  readonly type: 'ReviseAgency';
  readonly changes: Partial<AgencyProfile>;
  /** So many revisions in 24 hours: all its listings follow each. Without it there is no limit. */
  readonly revisionsPerDay?: number;
}

export type AgencyCommand = RegisterAgency | ReviseAgency;

export type Agency =
  | { readonly status: 'absent' }
  | {
      readonly status: 'registered';
      readonly slug: string;
      readonly profile: AgencyProfile;
      /** When it was revised in the day up to its last revision, the earliest first. */
      readonly revisedAt: readonly string[];
      /** How many events a load has to read back to the last snapshot. */
      readonly eventsSinceSnapshot: number;
    };

export type AgencyRejection =
  | { readonly kind: 'absent' }
  /** It was revised as often as it may be; again from `freeAt` on. */
  | { readonly kind: 'revised_often'; readonly limit: number; readonly freeAt: string };

/** With more than this a snapshot would be large: it then waits for a quieter day. */
const MOST_REVISIONS_CARRIED = 1_000;

export const agencyDecider: Decider<Agency, AgencyCommand, AgencyFact, AgencyRejection> = {
  family: 'agency',
  initial: { status: 'absent' },
  evolve,
  decide: (command, agency, at) => preceded(decide(command, agency, at), () => snapshotIfDue(agency)),
  isSnapshot: (type) => type === 'AgencyCarried',
};

function evolve(agency: Agency, event: Occurred<AgencyFact>): Agency {
  const { agency: slug, profile } = event.data;
  const carried = { status: 'registered', slug, profile, revisedAt: [], eventsSinceSnapshot: 0 } as const;
  switch (event.type) {
    case 'AgencyRegistered':
      return { ...carried, eventsSinceSnapshot: 1 };
    case 'AgencyRevised': {
      const before = agency.status === 'absent' ? carried : agency;
      const revisedAt = [...changesOfDay(before.revisedAt, event.at), event.at];
      return { ...carried, revisedAt, eventsSinceSnapshot: before.eventsSinceSnapshot + 1 };
    }
    case 'AgencyCarried':
      return { ...carried, revisedAt: event.data.revisedAt };
    default:
      return assertNever(event);
  }
}

/** What goes before the next fact of this agency: a snapshot when one is due, or nothing. */
function snapshotIfDue(agency: Agency): readonly AgencyFact[] {
  if (agency.status === 'absent' || agency.eventsSinceSnapshot < SNAPSHOT_EVERY_EVENTS) return [];
  const { slug, profile, revisedAt } = agency;
  if (revisedAt.length > MOST_REVISIONS_CARRIED) return [];
  return [{ type: 'AgencyCarried', data: { agency: slug, profile, revisedAt: [...revisedAt] } }];
}

function decide(command: AgencyCommand, agency: Agency, at: string): Decision<AgencyFact, AgencyRejection> {
  if (agency.status === 'absent') {
    if (command.type === 'ReviseAgency') return reject({ kind: 'absent' });
    return accept({ type: 'AgencyRegistered', data: { agency: command.agency, profile: command.profile } });
  }
  const profile =
    command.type === 'RegisterAgency' ? command.profile : { ...agency.profile, ...command.changes };
  if (orderedJson(profile) === orderedJson(agency.profile)) return accept();
  const limit = command.type === 'ReviseAgency' ? (command.revisionsPerDay ?? Infinity) : Infinity;
  const freeAt = freeAgainAt(agency.revisedAt, limit, at);
  if (freeAt !== null) return reject({ kind: 'revised_often', limit, freeAt });
  return accept({ type: 'AgencyRevised', data: { agency: agency.slug, profile } });
}
