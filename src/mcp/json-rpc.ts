/** JSON-RPC 2.0 as MCP uses it: what may come in, and answers as text, so that stored JSON goes out untouched. */
import { isObject } from '../calling/strict-json.ts';

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** Refused for a reason of ours: origin, content type, size, key, rate; `data.code` says which. */
export const REFUSED = -32_000;
/** What 2025-11-25 and older answer for an unknown resource. */
export const RESOURCE_NOT_FOUND = -32_002;
/** 2026-07-28: a header says something else than the body. */
export const HEADER_MISMATCH = -32_020;
/** 2026-07-28: a revision that is not supported here. */
export const UNSUPPORTED_PROTOCOL_VERSION = -32_022;

/** The parameter of a method that its `Mcp-Name` header repeats since 2026-07-28. */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface Request {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
}
export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Params;
}
/** An answer to a question that this server never asks. */
export interface Response {
  readonly kind: 'response';
}
export type Message = Request | Notification | Response;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** One message; null when it is none. `params: null`, which clients in some languages send for none, is none. */
export function parseMessage(value: unknown): Message | null {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return null;
  const { id, method } = value;
  const params = value['params'] ?? {};
  if (method === undefined) return isResponse(value) ? { kind: 'response' } : null;
  if (typeof method !== 'string' || !isObject(params)) return null;
  if (!('id' in value)) return { kind: 'notification', method, params };
  return isRequestId(id) ? { kind: 'request', id, method, params } : null;
}

/** The id that an answer to a message can name, even if the message is not valid otherwise. */
export function idOf(value: unknown): RequestId | null {
  return isObject(value) && isRequestId(value['id']) ? value['id'] : null;
}

/** `result` is JSON. */
export function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorText(id: RequestId | null, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function isResponse(value: Params): boolean {
  return isRequestId(value['id']) && ('result' in value || 'error' in value);
}
