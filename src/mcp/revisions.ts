/**
 * Which revision of MCP a message speaks. Up to 2025-11-25 a client says hello with `initialize` and names the revision
 * in a header from then on. Since 2026-07-28 there is no hello: every message names its revision in `_meta`, and over
 * HTTP in headers too, which must agree. The body decides, so that no proxy that drops a header changes the meaning.
 */
import { isObject } from '../calling/strict-json.ts';
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type Message,
  NAMED_BY,
  type Params,
  REFUSED,
  type RpcError,
  UNSUPPORTED_PROTOCOL_VERSION,
} from './json-rpc.ts';

/** What the official SDK 1.x accepts, newest first; a test holds the two together. */
export const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
export const NEWEST_HANDSHAKE_REVISION = '2025-11-25';
/** Revisions without a handshake. */
export const STATELESS_REVISIONS = ['2026-07-28'];

export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

export type ProtocolGeneration = 'handshake' | 'stateless';

/** The headers of one HTTP request that MCP gives a meaning. Over stdio there are none. */
export interface McpHeaders {
  readonly protocolVersion: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

export type Negotiated =
  | { readonly ok: true; readonly generation: ProtocolGeneration }
  | { readonly ok: false; readonly error: RpcError };

/** `headers` is null where the transport has none. */
export function negotiate(message: Message, headers: McpHeaders | null): Negotiated {
  if (message.kind === 'response') return { ok: true, generation: 'handshake' };
  const { method, params } = message;
  const header = headers?.protocolVersion;
  const headerIsStateless = header !== undefined && isStateless(header);
  const claim = claimOf(params);
  if (method === 'initialize' && !(claim !== undefined && envelopeFault(params) === null)) {
    if (!headerIsStateless) return { ok: true, generation: 'handshake' };
    return mismatch(
      `initialize belongs to revisions before ${STATELESS_REVISIONS[0]}, the header names ${header}`,
    );
  }
  if (claim === undefined && !headerIsStateless) return handshake(header);
  if (message.kind === 'notification') return agree(message, claim ?? header, headers);
  const fault = envelopeFault(params);
  if (fault !== null)
    return wrong(INVALID_PARAMS, `params._meta is not what ${STATELESS_REVISIONS[0]} asks: ${fault}`);
  return agree(message, claim, headers);
}

/** Batches were part of MCP in 2025-03-26, and of plain JSON-RPC before; a client without a header is taken for that. */
export function mayBatch(headers: McpHeaders): boolean {
  const { protocolVersion = '2025-03-26' } = headers;
  return HANDSHAKE_REVISIONS.includes(protocolVersion) && protocolVersion <= '2025-03-26';
}

function handshake(header: string | undefined): Negotiated {
  if (header === undefined || HANDSHAKE_REVISIONS.includes(header))
    return { ok: true, generation: 'handshake' };
  const supported = [...STATELESS_REVISIONS, ...HANDSHAKE_REVISIONS].join(', ');
  return wrong(REFUSED, `Unsupported protocol version: ${header} (supported versions: ${supported})`);
}

/** The last steps for a message that claims a revision: that it is supported here, and that the headers say the same. */
function agree(
  message: Exclude<Message, { kind: 'response' }>,
  claim: unknown,
  headers: McpHeaders | null,
): Negotiated {
  const { method, params } = message;
  if (headers?.protocolVersion !== undefined && headers.protocolVersion !== claim) {
    return mismatch(
      `the body names revision ${String(claim)}, MCP-Protocol-Version names ${headers.protocolVersion}`,
    );
  }
  if (headers?.method !== undefined && headers.method !== method) {
    return mismatch(`the body names method ${method}, Mcp-Method names ${headers.method}`);
  }
  if (typeof claim !== 'string' || !STATELESS_REVISIONS.includes(claim)) {
    return wrong(UNSUPPORTED_PROTOCOL_VERSION, `Unsupported protocol version: ${String(claim)}`, {
      supported: STATELESS_REVISIONS,
      requested: String(claim),
    });
  }
  if (headers === null || message.kind === 'notification') return { ok: true, generation: 'stateless' };
  if (headers.protocolVersion === undefined) return mismatch('the header MCP-Protocol-Version is missing');
  if (headers.method === undefined) return mismatch('the header Mcp-Method is missing');
  return agreeOnName(method, params, headers.name);
}

function agreeOnName(method: string, params: Params, header: string | undefined): Negotiated {
  const field = NAMED_BY.get(method);
  const named = field === undefined ? undefined : params[field];
  if (typeof named !== 'string') return { ok: true, generation: 'stateless' };
  if (header === undefined) return mismatch('the header Mcp-Name is missing');
  const decoded = decodeHeader(header);
  if (decoded === named) return { ok: true, generation: 'stateless' };
  return mismatch(`the body names params.${field} ${JSON.stringify(named)}, Mcp-Name something else`);
}

/** Values that no header can carry come as `=?base64?…?=`. */
function decodeHeader(header: string): string {
  const encoded = /^=\?base64\?(?<text>[A-Za-z0-9+/]*={0,2})\?=$/.exec(header)?.groups?.['text'];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8');
}

/** The revision that a message names in its body; undefined where it names none. */
export function claimOf(params: Params): unknown {
  const meta = params['_meta'];
  return isObject(meta) ? meta[META.protocolVersion] : undefined;
}

/** What is wrong with the part of `_meta` that every request must carry; null if nothing is. */
function envelopeFault(params: Params): string | null {
  const meta = params['_meta'];
  if (!isObject(meta)) return '_meta is missing';
  const {
    [META.protocolVersion]: version,
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: info,
  } = meta;
  if (version === undefined) return `${META.protocolVersion} is missing`;
  if (typeof version !== 'string') return `${META.protocolVersion} must be a string`;
  if (capabilities === undefined) return `${META.clientCapabilities} is missing`;
  if (!isObject(capabilities)) return `${META.clientCapabilities} must be an object`;
  if (info !== undefined && !isObject(info)) return `${META.clientInfo} must be an object`;
  return null;
}

/** Revisions are dates, so that those to come sort behind. */
function isStateless(revision: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(revision) && revision >= '2026-07-28';
}

function mismatch(what: string): Negotiated {
  return wrong(HEADER_MISMATCH, `Headers and body disagree: ${what}`);
}

function wrong(code: number, message: string, data?: unknown): Negotiated {
  return { ok: false, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

export const UNBATCHABLE: RpcError = {
  code: INVALID_REQUEST,
  message: 'Batches exist up to revision 2025-03-26 only: send one message at a time',
};
