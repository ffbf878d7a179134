/** An agency: a provider of agents and bundles, registered once and revised at will. */
import type { AgencyFact, AgencyProfile } from '../../events/agency-events.ts';
import { orderedJson } from '../../events/canonical-json.ts';
import type { Occurred } from '../../events/event.ts';
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';

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
}

export type AgencyCommand = RegisterAgency | ReviseAgency;

export type Agency =
  | { readonly status: 'absent' }
  | { readonly status: 'registered'; readonly slug: string; readonly profile: AgencyProfile };

export type AgencyRejection = { readonly kind: 'absent' };

export const agencyDecider: Decider<Agency, AgencyCommand, AgencyFact, AgencyRejection> = {
  family: 'agency',
  initial: { status: 'absent' },
  evolve,
  decide,
};

function evolve(_: Agency, event: Occurred<AgencyFact>): Agency {
  switch (event.type) {
    case 'AgencyRegistered':
    case 'AgencyRevised':
      return { status: 'registered', slug: event.data.agency, profile: event.data.profile };
    default:
      return assertNever(event);
  }
}

function decide(command: AgencyCommand, agency: Agency): Decision<AgencyFact, AgencyRejection> {
  if (agency.status === 'absent') {
    if (command.type === 'ReviseAgency') return reject({ kind: 'absent' });
    return accept({ type: 'AgencyRegistered', data: { agency: command.agency, profile: command.profile } });
  }
  const profile =
    command.type === 'RegisterAgency' ? command.profile : { ...agency.profile, ...command.changes };
  if (orderedJson(profile) === orderedJson(agency.profile)) return accept();
  return accept({ type: 'AgencyRevised', data: { agency: agency.slug, profile } });
}
