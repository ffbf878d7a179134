/** In what a key that is asked for goes beyond an allowance. */
import type { KeyAllowance } from '../../events/keyring-events.ts';
import type { MandateTerms } from '../../events/mandate-events.ts';

export interface WantedPowers {
  readonly scopes: readonly string[];
  readonly terms: MandateTerms;
  readonly expiresAt: string | null;
}

/** One field that asks for more than is allowed, named as the API names it. */
export interface Excess {
  readonly path: string;
  readonly limit: string;
  readonly value: string;
}

/** Of one key alone; what all keys have together is the keyring's to count. */
export function excesses(allowance: KeyAllowance, wanted: WantedPowers): readonly Excess[] {
  const { terms } = allowance;
  const { terms: asked } = wanted;
  return [
    ...beyondList('scopes', allowance.scopes, wanted.scopes),
    ...laterThan('expiresAt', allowance.expiresAt, wanted.expiresAt),
    ...above('mandate.maxPerTransactionCents', terms.maxPerTransactionCents, asked.maxPerTransactionCents),
    ...beyondList('mandate.allowedActions', terms.allowedActions, asked.allowedActions),
    ...earlierThan('mandate.validFrom', terms.validFrom, asked.validFrom),
    ...laterThan('mandate.expiresAt', terms.expiresAt, asked.expiresAt),
    ...beyondList('mandate.allowedAgencies', terms.allowedAgencies, asked.allowedAgencies),
    ...beyondList('mandate.allowedAgents', terms.allowedAgents, asked.allowedAgents),
  ];
}

export function above(path: string, limit: number | null, value: number | null): readonly Excess[] {
  if (limit === null || (value !== null && value <= limit)) return [];
  return [{ path, limit: String(limit), value: value === null ? 'any' : String(value) }];
}

/** Null is everything on both sides. */
function beyondList(
  path: string,
  limit: readonly string[] | null,
  value: readonly string[] | null,
): readonly Excess[] {
  if (limit === null || (value !== null && value.every((one) => limit.includes(one)))) return [];
  return [{ path, limit: limit.join(','), value: value === null ? 'any' : value.join(',') }];
}

function laterThan(path: string, limit: string | null, value: string | null): readonly Excess[] {
  if (limit === null || (value !== null && value <= limit)) return [];
  return [{ path, limit, value: value ?? 'never' }];
}

function earlierThan(path: string, limit: string | null, value: string | null): readonly Excess[] {
  if (limit === null || (value !== null && value >= limit)) return [];
  return [{ path, limit, value: value ?? 'at once' }];
}
