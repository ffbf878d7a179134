import type { KeyHolder, NeededScope, Scope } from './operation.ts';
import { refuse, type Refusal } from './refusals.ts';

/** The no to a key that lacks a scope. */
export function scopeMissing(
  scope: Scope,
  { scopes }: KeyHolder,
): { readonly ok: false; readonly refusal: Refusal } {
  return refuse('scope_missing', `The key lacks the scope ${scope}.`, {
    details: [{ path: 'scopes', message: `must include ${scope}`, limit: scope, value: scopes.join(',') }],
  });
}

/** The scope that the caller would need for the operation; null where it holds one that opens it. */
export function lackedScope(
  { scope, orScope }: { readonly scope: NeededScope; readonly orScope?: Scope | undefined },
  { scopes }: KeyHolder,
): Scope | null {
  if (scope === 'any_key' || scopes.includes(scope)) return null;
  return orScope !== undefined && scopes.includes(orScope) ? null : scope;
}
