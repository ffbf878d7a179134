/** Ends spending for good. Revoking what is revoked changes nothing. */
import { accept, reject } from '../decider.ts';
import type { Mandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface RevokeMandate {
  readonly type: 'RevokeMandate';
  readonly reason: string;
}

export function revokeMandate({ reason }: RevokeMandate, mandate: Mandate): MandateDecision {
  if (mandate.status === 'absent') return reject({ kind: 'absent' });
  if (mandate.status === 'revoked') return accept();
  return accept({ type: 'MandateRevoked', data: { reason } });
}
