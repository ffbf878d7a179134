/** Gives an account's key holder the right to spend within terms. */
import { accept, reject } from '../decider.ts';
import type { MandateTerms } from '../../events/mandate-events.ts';
import type { Mandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface GrantMandate {
  readonly type: 'GrantMandate';
  readonly mandateId: string;
  readonly accountId: string;
  readonly terms: MandateTerms;
}

export function grantMandate(
  { mandateId, accountId, terms }: GrantMandate,
  mandate: Mandate,
): MandateDecision {
  if (mandate.status !== 'absent') return reject({ kind: 'already_granted' });
  return accept({ type: 'MandateGranted', data: { mandateId, accountId, terms } });
}
