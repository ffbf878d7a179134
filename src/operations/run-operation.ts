/** Runs an operation for whoever may: the last door, behind the checks of every edge, so that no edge can leave it open. */
import type { Call, KeyedCall, KeyHolder, Operation, Outcome, Scope } from './operation.ts';
import { refuse, type Refusal } from './refusals.ts';
import type { Services } from './services.ts';
import { withinBudget } from './time-budget.ts';

export function runOperation<Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  call: Call,
  services: Services,
): Promise<Outcome<Output>> {
  // Who waits for news, or for a file to come, counts its time otherwise.
  const budgeted = operation.waits === true ? services : withinBudget(services);
  if (operation.scope === null) return operation.run(input, call, budgeted);
  if (!isKeyed(call)) throw new Error(`${operation.name} was called without a key`);
  if (!isOpenTo(operation, call.caller)) {
    return Promise.resolve(scopeMissing(operation.scope, call.caller));
  }
  return operation.run(input, call, budgeted);
}

/** Whether the caller holds a scope that opens the operation. */
export function isOpenTo(
  { scope, orScope }: { readonly scope: Scope; readonly orScope?: Scope | undefined },
  { scopes }: KeyHolder,
): boolean {
  return scopes.includes(scope) || (orScope !== undefined && scopes.includes(orScope));
}

export function scopeMissing(
  scope: Scope,
  { scopes }: KeyHolder,
): { readonly ok: false; readonly refusal: Refusal } {
  return refuse('scope_missing', `The key lacks the scope ${scope}.`, {
    details: [{ path: 'scopes', message: `must include ${scope}`, limit: scope, value: scopes.join(',') }],
  });
}

function isKeyed(call: Call): call is KeyedCall {
  return call.caller !== null;
}
