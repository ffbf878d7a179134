/** tools/call: rate, key, scope, idempotency, input, run — the same steps in the same order as over REST. */
import { randomUUID } from 'node:crypto';
import { logFailure } from '../failures.ts';
import { refusalFor } from '../calling/failure.ts';
import { type CommandIdentity, identify } from '../calling/idempotency.ts';
import type { Log } from '../log.ts';
import type { KeyHolder, Outcome } from '../operations/operation.ts';
import { type Fault, refuse } from '../operations/refusals.ts';
import { lackedScope, scopeMissing } from '../calling/run-operation.ts';
import type { Services } from '../operations/services.ts';
import { type Answer, failure, isOfBadKey, type Result } from './answer.ts';
import { INVALID_PARAMS, isObject, type Params } from './json-rpc.ts';
import type { Peer } from './peer.ts';
import type { Tool } from './tool.ts';
import { refusedResult } from './tool-refusals.ts';

/** What running operations takes, the same for every message. */
export interface Workshop {
  readonly services: Services;
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>;
}

export async function callTool(tool: Tool, args: unknown, peer: Peer, workshop: Workshop): Promise<Answer> {
  if (!isObject(args)) return failure(INVALID_PARAMS, 'params.arguments must be an object');
  const { scope, orScope } = tool.operation;
  const { requestId } = peer;
  if (scope === null) return run(tool, args, null, peer, workshop);
  const authentication = await peer.authenticate();
  if (!authentication.ok) {
    const { refusal } = authentication;
    if (isOfBadKey(refusal)) return { kind: 'challenge', refusal, requestId };
    const needs = refusal.code === 'api_key_missing' ? { needs: scope } : {};
    return { kind: 'result', json: refusedResult(refusal, requestId), refused: refusal.code, ...needs };
  }
  const { caller } = authentication;
  const lacking = lackedScope({ scope, orScope }, caller);
  if (lacking !== null) {
    const { refusal } = scopeMissing(lacking, caller);
    const json = refusedResult(refusal, requestId);
    return { kind: 'result', json, refused: refusal.code, needs: lacking, caller };
  }
  const { kind, makesTrial = false } = tool.operation;
  const refusal = kind === 'command' ? peer.countCommand(caller, makesTrial) : null;
  if (refusal === null) return run(tool, args, caller, peer, workshop);
  return { kind: 'result', json: refusedResult(refusal, requestId), refused: refusal.code, caller };
}

async function run(
  tool: Tool,
  args: Params,
  caller: KeyHolder | null,
  peer: Peer,
  workshop: Workshop,
): Promise<Result> {
  const { requestId } = peer;
  let outcome: Outcome<unknown>;
  try {
    outcome = await outcomeOf(tool, args, caller, peer, workshop.services);
  } catch (error) {
    logFailure(workshop.log, error, { requestId, operation: tool.name }, 'tool failed');
    outcome = { ok: false, refusal: refusalFor(error, requestId) };
  }
  const by = caller === null ? {} : { caller };
  if (!outcome.ok) {
    const { refusal } = outcome;
    return { kind: 'result', json: refusedResult(refusal, requestId), refused: refusal.code, ...by };
  }
  const structured = tool.show(outcome);
  // The text is the same JSON once more, for clients that know no structured content.
  const json = `{"content":[{"type":"text","text":${JSON.stringify(structured)}}],"structuredContent":${structured}}`;
  return { kind: 'result', json, ...by, ...(outcome.replayed ? { meta: { 'bourse/replayed': true } } : {}) };
}

async function outcomeOf(
  tool: Tool,
  args: Params,
  caller: KeyHolder | null,
  peer: Peer,
  services: Services,
): Promise<Outcome<unknown>> {
  const read = tool.read(args);
  const { input, identity, faults } = identified(tool, read.input, caller);
  const invoked = await tool.invoke(input, peer.call(caller, identity), services, [
    ...read.faults,
    ...faults,
  ]);
  return 'faults' in invoked ? refuseArguments(tool, invoked.faults) : invoked;
}

interface Identified {
  /** The arguments that are the operation's, as REST takes them: the same key names the same command over both. */
  readonly input: Params;
  readonly identity: CommandIdentity;
  readonly faults: readonly Fault[];
}

function identified({ operation, isRepeatable }: Tool, args: Params, caller: KeyHolder | null): Identified {
  const anonymous = { commandId: randomUUID() };
  if (operation.kind === 'query') return { input: args, identity: anonymous, faults: [] };
  const { idempotencyKey: key, ...input } = args;
  if (key === undefined && isRepeatable) return { input, identity: anonymous, faults: [] };
  const identity = typeof key === 'string' ? identify(key, operation, caller, input) : undefined;
  if (identity !== undefined) return { input, identity, faults: [] };
  return { input, identity: anonymous, faults: [keyFault(key)] };
}

function keyFault(idempotencyKey: unknown): Fault {
  const message =
    idempotencyKey === undefined
      ? 'is required: choose a new one, such as a UUID, and reuse it when you retry'
      : 'must be 1 to 255 visible ASCII characters';
  return { path: 'idempotencyKey', message };
}

function refuseArguments({ name, fields }: Tool, faults: readonly Fault[]): Outcome<never> {
  const all = faults.map(({ path, message }) => `${path || 'the arguments'} ${message}`).join('; ');
  const known = fields.length === 0 ? 'takes no arguments' : `takes ${fields.join(', ')}`;
  return refuse('invalid_request', `The arguments are not valid: ${all}. ${name} ${known}.`, {
    details: faults,
  });
}
