/** What benches spend: the trial of one agent of the seeds, under terms that never end. */
import type { MandateTerms } from '../../events/mandate-events.ts';

export const AGENT = { slug: 'invoice-matcher', name: 'Invoice Matcher' };
/** What its trial costs. */
export const PRICE_CENTS = 1_900;

export const WITHOUT_END: MandateTerms = {
  maxPerTransactionCents: 5_000,
  maxMonthlyCents: 1_000_000_000_000,
  allowedActions: ['trial:create'],
  validFrom: null,
  expiresAt: null,
  maxSpendsPerMonth: null,
  allowedAgencies: null,
  allowedAgents: null,
};
