/**
 * Counts a spend again that was acknowledged and that the log has lost, as one of its followers still knows it: it
 * counts against the caps of its period again. No terms are asked, since the money was promised.
 */
import { accept } from '../decider.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { snapshotIfDue, type GrantedMandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface RecoverSpend {
  readonly type: 'RecoverSpend';
  readonly spend: Extract<MandateFact, { type: 'SpendRecovered' }>['data'];
}

export function recoverSpend({ spend }: RecoverSpend, mandate: GrantedMandate, at: string): MandateDecision {
  return accept<MandateFact>(...snapshotIfDue(mandate, at), { type: 'SpendRecovered', data: spend });
}
