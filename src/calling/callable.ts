/** An operation as every edge calls it: without its types, its input parsed by its own schema. */
import { z } from 'zod';
import { compiled } from '../../events/compiled-schema.ts';
import type {
  Call,
  KeyedCall,
  KeyHolder,
  NeededScope,
  Operation,
  Outcome,
  Scope,
} from '../operations/operation.ts';
import type { FieldError } from '../operations/refusals.ts';
import type { Services } from '../operations/services.ts';
import { boundedParse, fieldErrorsOf, MAX_FIELD_ERRORS } from './field-errors.ts';
import { scopeMissing } from '../operations/scope-missing.ts';
import { withinBudget } from '../operations/time-budget.ts';

/** What there is to know of an operation without its types. */
export type OperationInfo = Pick<
  Operation<unknown, unknown>,
  'name' | 'summary' | 'description' | 'tag' | 'kind' | 'scope' | 'refusals' | 'cacheSeconds'
> & {
  readonly orScope?: Scope;
  readonly metered?: 'quota' | 'minute';
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly meta?: z.ZodType;
  readonly alsoAsCsv?: true;
  readonly makesTrial?: true;
  readonly example: { readonly input: unknown; readonly output: unknown };
};

export type Invoked = Outcome<unknown> | { readonly fieldErrors: readonly FieldError[] };

export interface Callable {
  readonly operation: OperationInfo;
  /** Parses the input by the operation's schema and runs it, unless it or `fieldErrors` found before say no. */
  readonly invoke: (
    input: unknown,
    call: Call,
    services: Services,
    fieldErrors: readonly FieldError[],
  ) => Promise<Invoked>;
}

/** @throws {Error} the input is no object schema, which is a mistake in the operation */
export function callable<Input, Output>(operation: Operation<Input, Output>): Callable {
  const { input } = operation;
  if (!(input instanceof z.ZodObject))
    throw new Error(`the input of ${operation.name} must be an object schema`);
  return {
    operation: { ...operation, input },
    invoke(sent, call, services, fieldErrors) {
      const parsed = boundedParse(compiled(operation.input), sent);
      const found = parsed.success ? fieldErrors : [...fieldErrors, ...fieldErrorsOf(parsed.error)];
      return parsed.success && found.length === 0
        ? runOperation(operation, parsed.data, call, services)
        : Promise.resolve({ fieldErrors: found.slice(0, MAX_FIELD_ERRORS) });
    },
  };
}

/** The last check, behind those of every edge, so that no edge can forget it. */
export function runOperation<Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  call: Call,
  services: Services,
): Promise<Outcome<Output>> {
  // Who waits for news, or for a file to come, has a budget for each look at the log.
  const budgeted = operation.waits === true ? services : withinBudget(services, call.untilMs);
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
