/** tools/call: the arguments of a model as a call of the tool's operation, and its outcome as a model reads it. */
import { isObject } from '../calling/strict-json.ts';
import { type CallingParts, callOperation } from '../calling/call-operation.ts';
import type { CallInput, CallRequest } from '../calling/call-request.ts';
import type { CallerContext } from '../calling/caller.ts';
import { isIdempotencyKey, MALFORMED_KEY } from '../calling/idempotency.ts';
import type { FieldError, Refusal } from '../operations/refusals.ts';
import { type Answer, failure, type Result } from './answer.ts';
import { INVALID_PARAMS, type Params } from './json-rpc.ts';
import type { Tool } from './tool.ts';
import { refusedResult } from './tool-refusals.ts';

export async function callTool(
  tool: Tool,
  args: unknown,
  caller: CallerContext,
  parts: CallingParts,
): Promise<Answer> {
  if (!isObject(args)) return failure(INVALID_PARAMS, 'params.arguments must be an object');
  const request: CallRequest = {
    ...COUNTED_WITH_ITS_MESSAGE,
    read: () => inputOf(tool, args),
    refuseInput: (fieldErrors) => refusedArguments(tool, fieldErrors),
  };
  const outcome = await callOperation(tool, request, caller, parts);
  if (!outcome.ok) return refused(tool, outcome.refusal, caller.requestId);
  const structured = tool.show(outcome);
  // The text is the same JSON once more, for clients that know no structured content.
  const json = `{"content":[{"type":"text","text":${JSON.stringify(structured)}}],"structuredContent":${structured}}`;
  return { kind: 'result', json, ...(outcome.replayed ? { meta: { 'bourse/replayed': true } } : {}) };
}

/** A message counts as one request, with its body, whatever it calls; a command counts what it leaves. */
export const COUNTED_WITH_ITS_MESSAGE = { requests: 0, bodyBytes: 0, countsReads: false } as const;

function refused({ operation: { scope } }: Tool, refusal: Refusal, requestId: string): Result {
  const { code } = refusal;
  const isOfKey = code === 'api_key_missing' || code === 'scope_missing';
  return {
    kind: 'result',
    json: refusedResult(refusal, requestId),
    refused: code,
    ...(isOfKey && scope !== null ? { needs: scope } : {}),
  };
}

/** The arguments that are the operation's, as REST takes them: the same key names the same command over both. */
function inputOf(tool: Tool, args: Params): CallInput {
  const { input, fieldErrors } = tool.read(args);
  if (tool.operation.kind === 'query') return { ok: true, value: input, fieldErrors };
  const { idempotencyKey: key, ...value } = input;
  if (isIdempotencyKey(key)) return { ok: true, value, fieldErrors, idempotencyKey: key };
  if (key === undefined && tool.isRepeatable) return { ok: true, value, fieldErrors };
  return { ok: true, value, fieldErrors: [...fieldErrors, keyFault(key)] };
}

function keyFault(idempotencyKey: unknown): FieldError {
  const message =
    idempotencyKey === undefined
      ? 'is required: choose a new one, such as a UUID, and reuse it when you retry'
      : MALFORMED_KEY;
  return { path: 'idempotencyKey', message };
}

function refusedArguments({ name, fields }: Tool, fieldErrors: readonly FieldError[]): Refusal {
  const all = fieldErrors.map(({ path, message }) => `${path || 'the arguments'} ${message}`).join('; ');
  const known = fields.length === 0 ? 'takes no arguments' : `takes ${fields.join(', ')}`;
  return {
    code: 'invalid_request',
    message: `The arguments are not valid: ${all}. ${name} ${known}.`,
    details: fieldErrors,
  };
}
