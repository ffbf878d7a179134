/** The options in which commands take the terms of a mandate. Each command says in its own help what they mean there. */
import type { MandateTerms } from '../../events/mandate-events.ts';
import type { Detail } from '../operations/refusals.ts';

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

/** In which option a field of the API is given here. */
const OPTIONS: Readonly<Record<string, string>> = {
  scopes: '--scopes',
  agency: '--agency',
  expiresAt: '--key-expires',
  'mandate.maxPerTransactionCents': '--max-per-transaction',
  'mandate.maxMonthlyCents': '--max-monthly',
  'mandate.allowedActions': '--allow',
  'mandate.expiresAt': '--expires',
  'mandate.allowedAgencies': '--agencies',
  'mandate.allowedAgents': '--agents',
};

/** What is wrong with the key that was asked for, by the options. */
export function describeWrong(fieldErrors: readonly Detail[]): string {
  return fieldErrors.map(({ path, message }) => `${OPTIONS[path] ?? path} ${message}`).join('; ');
}
