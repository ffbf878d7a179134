/** The spending mandate: what a key may do, decided and counted in one chained stream. */
import { assertNever, type Decider, reject } from '../decider.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { type AmendMandate, amendMandate } from './amend-mandate.ts';
import { type CorrectMandatePeriod, correctMandatePeriod } from './correct-period.ts';
import { isMandateSnapshot, evolveMandate, type Mandate, noMandate } from './mandate-state.ts';
import { type GrantMandate, grantMandate } from './grant-mandate.ts';
import type { MandateDecision, MandateRejection } from './rejections.ts';
import { type RecoverSpend, recoverSpend } from './recover-spend.ts';
import { type ReleaseSpend, releaseSpend } from './release-spend.ts';
import { type SpendAgainstMandate, spendAgainstMandate } from './spend-against-mandate.ts';
import {
  type ResumeMandate,
  resumeMandate,
  type RevokeMandate,
  revokeMandate,
  type SuspendMandate,
  suspendMandate,
} from './suspend-mandate.ts';

export type MandateCommand =
  | GrantMandate
  | AmendMandate
  | SuspendMandate
  | ResumeMandate
  | RevokeMandate
  | SpendAgainstMandate
  | ReleaseSpend
  | RecoverSpend
  | CorrectMandatePeriod;

export const mandateDecider: Decider<Mandate, MandateCommand, MandateFact, MandateRejection> = {
  family: 'mandate',
  initial: noMandate,
  evolve: evolveMandate,
  decide,
  isSnapshot: isMandateSnapshot,
  setsTime: ({ type }) => type === 'CorrectMandatePeriod',
  chained: true,
};

function decide(command: MandateCommand, mandate: Mandate, at: string): MandateDecision {
  if (command.type === 'GrantMandate') return grantMandate(command, mandate);
  if (mandate.status === 'absent') return reject({ kind: 'absent' });
  switch (command.type) {
    case 'AmendMandate':
      return amendMandate(command, mandate, at);
    case 'SuspendMandate':
      return suspendMandate(command, mandate, at);
    case 'ResumeMandate':
      return resumeMandate(mandate, at);
    case 'RevokeMandate':
      return revokeMandate(command, mandate);
    case 'SpendAgainstMandate':
      return spendAgainstMandate(command, mandate, at);
    case 'ReleaseSpend':
      return releaseSpend(command, mandate, at);
    case 'RecoverSpend':
      return recoverSpend(command, mandate, at);
    case 'CorrectMandatePeriod':
      return correctMandatePeriod(command, mandate, at);
    default:
      return assertNever(command);
  }
}
