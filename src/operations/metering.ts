/** What operations and edges ask of the meter of the Data API (plans/metering.ts). */
import type { Plan } from '../../commands/subscription/plans.ts';
import type { Meter, MeterReading } from '../ports/meter.ts';
import type { Refusal } from './refusals.ts';

/** What a read of the Data API is: each counts against the rate and the quota of the account's plan. */
export const dataRead = { tag: 'data', kind: 'query', scope: 'data:read', metered: 'quota' } as const;

/** What an account has used, beside the plan that it is held to. */
export interface PlanUsage {
  readonly plan: Plan;
  readonly reading: MeterReading;
}

export type Admission =
  | ({ readonly kind: 'admitted'; readonly giveBack: () => Promise<void> } & PlanUsage)
  | ({ readonly kind: 'refused'; readonly refusal: Refusal } & PlanUsage)
  | { readonly kind: 'no_plan'; readonly refusal: Refusal };

export interface MeteredRequest {
  readonly caller: { readonly accountId: string; readonly keyId: string };
  /** The name of the operation. */
  readonly operation: string;
  readonly costsQuota: boolean;
  /** Now, RFC 3339. */
  readonly at: string;
}

export interface Metering {
  /**
   * Counts a request, before any of its work; `giveBack` is for one that came to nothing, and works once.
   * @throws {MeterUnavailable} it may have been counted, and must not be answered
   */
  readonly admit: (request: MeteredRequest) => Promise<Admission>;
  /** What the account has used; null without a plan. Counts nothing. @throws {MeterUnavailable} */
  readonly usage: (accountId: string, at: string) => Promise<PlanUsage | null>;
  /** @throws {MeterUnavailable} */
  readonly history: Meter['history'];
}
