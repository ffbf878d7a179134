/** A message that came over HTTP: its client's address, its Authorization header, its connection. */
import { authenticateHeader } from '../http/bearer.ts';
import type { Exchange } from '../http/exchange.ts';
import { HttpCall } from '../http/http-call.ts';
import type { Refusal } from '../operations/refusals.ts';
import type { Peer } from './peer.ts';

export interface HttpPeer extends Peer {
  /** Counts one message against the limit of this client's address; the refusal once it is reached. */
  readonly admit: () => Promise<Refusal | null>;
  /** What the limit told about itself last. */
  readonly limitHeaders: () => readonly string[];
  /** The key that was presented and is valid, if one was looked at. */
  readonly keyId: () => string | null;
}

export function httpPeer({ edge, req, res, requestId, at, nowMs }: Exchange): HttpPeer {
  let limitHeaders: readonly string[] = [];
  let keyId: string | null = null;
  return {
    requestId,
    at,
    limitHeaders: () => limitHeaders,
    keyId: () => keyId,
    async admit() {
      const { headers, refusal } = await edge.publicLimit(req, nowMs);
      limitHeaders = headers;
      return refusal;
    },
    async authenticate() {
      const authentication = await authenticateHeader(req.headers.authorization, at, edge.authenticate);
      if (authentication.ok) {
        keyId = authentication.caller.keyId;
        return authentication;
      }
      const { refusal } = authentication;
      if (refusal.code !== 'api_key_invalid') return authentication;
      return { ok: false, refusal: await edge.addressLimits.failed(req, nowMs, refusal) };
    },
    call: (caller, identity) => new HttpCall(res, requestId, at, caller, identity),
  };
}
