import type { KeyHolder, Scope } from './operation.ts';
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
