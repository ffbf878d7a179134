/** The options in which commands take the terms of a mandate. Each command says in its own help what they mean there. */
import type { MandateTerms } from '../../events/mandate-events.ts';

export interface TermsOptions {
  readonly maxPerTransaction: number;
  readonly maxMonthly: number;
  readonly allow: string[];
  readonly expires?: string;
  readonly validFrom?: string;
  readonly maxSpends?: number;
  readonly agencies?: string[];
  readonly agents?: string[];
}

/** What is not given is not limited. */
export function termsOf(options: TermsOptions): MandateTerms {
  return {
    maxPerTransactionCents: options.maxPerTransaction,
    maxMonthlyCents: options.maxMonthly,
    allowedActions: options.allow,
    expiresAt: options.expires ?? null,
    validFrom: options.validFrom ?? null,
    maxSpendsPerMonth: options.maxSpends ?? null,
    allowedAgencies: options.agencies ?? null,
    allowedAgents: options.agents ?? null,
  };
}
