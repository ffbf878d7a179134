/** Runs an operation for whoever may: the last check, behind those of every edge, so that no edge can forget it. */
import type {
  Call,
  KeyedCall,
  KeyHolder,
  NeededScope,
  Operation,
  Outcome,
  Scope,
} from '../operations/operation.ts';
import { scopeMissing } from '../operations/scope-missing.ts';
import type { Services } from '../operations/services.ts';
import { withinBudget } from '../operations/time-budget.ts';

export function runOperation<Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  call: Call,
  services: Services,
): Promise<Outcome<Output>> {
  // Who waits for news, or for a file to come, has a budget for each look at the log.
  const budgeted = operation.waits === true ? services : withinBudget(services);
  if (operation.scope === null) return operation.run(input, call, budgeted);
  if (!isKeyed(call)) throw new Error(`${operation.name} was called without a key`);
  const lacking = lackedScope(operation, call.caller);
  if (lacking !== null) return Promise.resolve(scopeMissing(lacking, call.caller));
  return operation.run(input, call, budgeted);
}

/** The scope that the caller would need for the operation; null where it holds one that opens it. */
export function lackedScope(
  { scope, orScope }: { readonly scope: NeededScope; readonly orScope?: Scope | undefined },
  { scopes }: KeyHolder,
): Scope | null {
  if (scope === 'any_key' || scopes.includes(scope)) return null;
  return orScope !== undefined && scopes.includes(orScope) ? null : scope;
}

function isKeyed(call: Call): call is KeyedCall {
  return call.caller !== null;
}
