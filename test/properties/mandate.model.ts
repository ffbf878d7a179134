/** A mandate as one would keep it in a notebook: no events, no snapshots, every month on its own page. */
import type { MandateCommand } from '../../commands/mandate/mandate.ts';
import type { SpendAgainstMandate } from '../../commands/mandate/spend-against-mandate.ts';
import type { MandateTerms } from '../../events/mandate-events.ts';

export interface Notebook {
  status: 'absent' | 'active' | 'suspended' | 'revoked';
  terms: MandateTerms;
  /** The latest time that anything was written: nothing is ever dated before it. */
  now: string;
  readonly months: Map<string, { cents: number; count: number }>;
}

export type Verdict = 'done' | 'nothing to do' | 'no' | readonly string[];

export function emptyNotebook(terms: MandateTerms): Notebook {
  return { status: 'absent', terms, now: '', months: new Map() };
}

/** Does the command if it may be done; a spend that may not is answered with all the reasons. */
export function note(notebook: Notebook, command: MandateCommand, clock: string): Verdict {
  const at = clock > notebook.now ? clock : notebook.now;
  const verdict = noted(notebook, command, at);
  if (verdict === 'done') notebook.now = at;
  return verdict;
}

function noted(notebook: Notebook, command: MandateCommand, at: string): Verdict {
  const { status } = notebook;
  if (command.type === 'GrantMandate') return moved(notebook, status === 'absent', 'active');
  if (status === 'absent') return 'no';
  switch (command.type) {
    case 'AmendMandate':
      if (status === 'revoked') return 'no';
      notebook.terms = { ...notebook.terms, ...command.changes };
      return 'done';
    case 'SuspendMandate':
      return moved(notebook, status === 'active', 'suspended');
    case 'ResumeMandate':
      return moved(notebook, status === 'suspended', 'active');
    case 'RevokeMandate':
      if (status === 'revoked') return 'nothing to do';
      return moved(notebook, true, 'revoked');
    case 'ReleaseSpend':
      add(notebook, command.period, -command.amountCents, -1);
      return 'done';
    case 'CorrectMandatePeriod':
      throw new Error('no notebook is put right: see test/operations/corrected-period.test.ts');
    case 'RecoverSpend':
      throw new Error('no notebook has lost anything: see test/checking/accept-loss.test.ts');
    case 'SpendAgainstMandate': {
      const reasons = reasonsAgainst(notebook, command, at);
      if (reasons.length > 0) return reasons;
      add(notebook, at.slice(0, 7), command.amountCents, 1);
      return 'done';
    }
  }
}

function reasonsAgainst(
  { status, terms, months }: Notebook,
  wish: SpendAgainstMandate,
  at: string,
): string[] {
  const month = months.get(at.slice(0, 7)) ?? { cents: 0, count: 0 };
  const { amountCents, order } = wish;
  const checks: [string, boolean][] = [
    ['mandate_revoked', status !== 'revoked'],
    ['mandate_suspended', status !== 'suspended'],
    ['mandate_not_yet_valid', terms.validFrom === null || terms.validFrom <= at],
    ['mandate_expired', terms.expiresAt === null || at < terms.expiresAt],
    ['action_not_allowed', terms.allowedActions.includes(wish.action)],
    ['payee_not_allowed', terms.allowedAgencies === null || terms.allowedAgencies.includes(order.agency)],
    ['payee_not_allowed', terms.allowedAgents === null || terms.allowedAgents.includes(order.agent.slug)],
    ['transaction_cap', amountCents <= terms.maxPerTransactionCents],
    ['spend_count', terms.maxSpendsPerMonth === null || month.count < terms.maxSpendsPerMonth],
    ['monthly_cap', month.cents + amountCents <= terms.maxMonthlyCents],
  ];
  return checks.filter(([, holds]) => !holds).map(([reason]) => reason);
}

function moved(notebook: Notebook, isAllowed: boolean, status: Notebook['status']): Verdict {
  if (!isAllowed) return 'no';
  notebook.status = status;
  return 'done';
}

function add({ months }: Notebook, period: string, cents: number, count: number): void {
  const before = months.get(period) ?? { cents: 0, count: 0 };
  months.set(period, { cents: before.cents + cents, count: before.count + count });
}
