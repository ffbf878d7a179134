/**
 * Replaces the terms that are named from now on. They are joined with the others here, at the revision they are decided
 * at, so that two changes at once never undo each other. A cap may be lowered below what is spent: nothing more passes until the next period.
 */
import { accept, reject } from '../decider.ts';
import type { MandateFact, MandateTerms } from '../../events/mandate-events.ts';
import { snapshotIfDue, type GrantedMandate } from './mandate-state.ts';
import type { MandateDecision } from './rejections.ts';

export interface AmendMandate {
  readonly type: 'AmendMandate';
  readonly changes: Partial<MandateTerms>;
}

export function amendMandate(
  { changes }: AmendMandate,
  mandate: GrantedMandate,
  at: string,
): MandateDecision {
  if (mandate.status === 'revoked') return reject({ kind: 'status', status: mandate.status });
  const terms = { ...mandate.terms, ...changes };
  return accept<MandateFact>(...snapshotIfDue(mandate, at), { type: 'MandateAmended', data: { terms } });
}
