/** Pauses spending, lets it go on, or ends it for good. */
import { accept, reject } from '../decider.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { snapshotIfDue, type GrantedMandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface SuspendMandate {
  readonly type: 'SuspendMandate';
  readonly reason: string;
}

export interface ResumeMandate {
  readonly type: 'ResumeMandate';
}

export interface RevokeMandate {
  readonly type: 'RevokeMandate';
  readonly reason: string;
}

export function suspendMandate(
  { reason }: SuspendMandate,
  mandate: GrantedMandate,
  at: string,
): MandateDecision {
  if (mandate.status !== 'active') return reject({ kind: 'status', status: mandate.status });
  return accept<MandateFact>(...snapshotIfDue(mandate, at), { type: 'MandateSuspended', data: { reason } });
}

export function resumeMandate(_: ResumeMandate, mandate: GrantedMandate, at: string): MandateDecision {
  if (mandate.status !== 'suspended') return reject({ kind: 'status', status: mandate.status });
  return accept<MandateFact>(...snapshotIfDue(mandate, at), { type: 'MandateResumed', data: {} });
}

/** Revoking what is revoked changes nothing. */
export function revokeMandate({ reason }: RevokeMandate, { status }: GrantedMandate): MandateDecision {
  return status === 'revoked' ? accept() : accept({ type: 'MandateRevoked', data: { reason } });
}
