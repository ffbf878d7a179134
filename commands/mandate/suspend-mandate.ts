/** Pauses spending until the mandate is resumed. */
import { accept, reject } from '../decider.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { snapshotIfDue, type Mandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface SuspendMandate {
  readonly type: 'SuspendMandate';
  readonly reason: string;
}

export function suspendMandate({ reason }: SuspendMandate, mandate: Mandate, at: string): MandateDecision {
  if (mandate.status === 'absent') return reject({ kind: 'absent' });
  if (mandate.status !== 'active') return reject({ kind: 'status', status: mandate.status });
  return accept<MandateFact>(...snapshotIfDue(mandate, at), { type: 'MandateSuspended', data: { reason } });
}
