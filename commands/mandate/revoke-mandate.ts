/** Ends spending for good. Revoking what is revoked changes nothing. */
import { accept, type Decision, reject } from '../decider.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import type { Mandate } from './mandate-state.ts';
import type { MandateRejection } from './rejections.ts';

export interface RevokeMandate {
  readonly type: 'RevokeMandate';
  readonly reason: string;
}

export function revokeMandate(
  { reason }: RevokeMandate,
  mandate: Mandate,
): Decision<MandateFact, MandateRejection> {
  if (mandate.status === 'absent') return reject({ kind: 'absent' });
  if (mandate.status === 'revoked') return accept();
  return accept({ type: 'MandateRevoked', data: { reason } });
}
