import type { KeyHolder, Scope } from './operation.ts';
import { refuse, type Refused } from './refusals.ts';

/** The no to a key that lacks a scope. */
export function scopeMissing(scope: Scope, { scopes }: KeyHolder): Refused {
  return refuse('scope_missing', `The key lacks the scope ${scope}.`, {
    details: [{ path: 'scopes', message: `must include ${scope}`, limit: scope, value: scopes.join(',') }],
  });
}
