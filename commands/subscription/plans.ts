/** What each plan of the Directory Data API allows, and costs. */
import type { PlanName } from '../../events/plan.ts';

export interface Plan {
  readonly name: PlanName;
  /** Requests in any 60 seconds, of all keys of the account together. */
  readonly perMinute: number;
  /** Requests in a calendar month (UTC), of all keys of the account together. */
  readonly perMonth: number;
  readonly monthlyCents: number;
  /** Whether it includes the history of its use. */
  readonly hasHistory: boolean;
  /** Whether it includes exports of whole data sets. */
  readonly hasExport: boolean;
}

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  starter: {
    name: 'starter',
    perMinute: 60,
    perMonth: 10_000,
    monthlyCents: 4_900,
    hasHistory: false,
    hasExport: false,
  },
  pro: {
    name: 'pro',
    perMinute: 600,
    perMonth: 500_000,
    monthlyCents: 9_900,
    hasHistory: true,
    hasExport: false,
  },
  enterprise: {
    name: 'enterprise',
    perMinute: 3_000,
    perMonth: 10_000_000,
    monthlyCents: 49_900,
    hasHistory: true,
    hasExport: true,
  },
};
