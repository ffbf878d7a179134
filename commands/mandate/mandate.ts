/** The spending mandate: what a key may do, decided and counted in one chained stream. */
import type { MandateFact } from '../../events/mandate-events.ts';
import { type CommandOf, decideBy, type Decider, reject } from '../decider.ts';
import { amendMandate } from './amend-mandate.ts';
import { correctMandatePeriod } from './correct-period.ts';
import { isMandateSnapshot, evolveMandate, type Mandate, noMandate } from './mandate-state.ts';
import { type GrantMandate, grantMandate } from './grant-mandate.ts';
import type { MandateDecision, MandateRejection } from './rejections.ts';
import { recoverSpend } from './recover-spend.ts';
import { releaseSpend } from './release-spend.ts';
import { spendAgainstMandate } from './spend-against-mandate.ts';
import { resumeMandate, revokeMandate, suspendMandate } from './suspend-mandate.ts';

/** Of a mandate that was granted. */
const decisions = {
  AmendMandate: amendMandate,
  SuspendMandate: suspendMandate,
  ResumeMandate: resumeMandate,
  RevokeMandate: revokeMandate,
  SpendAgainstMandate: spendAgainstMandate,
  ReleaseSpend: releaseSpend,
  RecoverSpend: recoverSpend,
  CorrectMandatePeriod: correctMandatePeriod,
};

export type MandateCommand = GrantMandate | CommandOf<typeof decisions>;

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
  return decideBy(decisions, command, mandate, at);
}
