/** Lets a suspended mandate be spent against again. */
import { accept, reject } from '../decider.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { snapshotIfDue, type Mandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface ResumeMandate {
  readonly type: 'ResumeMandate';
}

export function resumeMandate(_command: ResumeMandate, mandate: Mandate, at: string): MandateDecision {
  if (mandate.status === 'absent') return reject({ kind: 'absent' });
  if (mandate.status !== 'suspended') return reject({ kind: 'status', status: mandate.status });
  return accept<MandateFact>(...snapshotIfDue(mandate, at), { type: 'MandateResumed', data: {} });
}
