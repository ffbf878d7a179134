/** A message that came over HTTP: its client's address, its Authorization header, its connection. */
import type { Demand } from '../calling/account-limits.ts';
import {
  announcedBytes,
  giveBackUnsent,
  LEAST_COMMAND_BYTES,
  oftenEnough,
  presentedKey,
} from '../transport/admission.ts';
import { type Authentication, authenticateHeader } from '../transport/bearer.ts';
import { MAX_BODY_BYTES } from '../transport/body.ts';
import type { Exchange } from '../transport/exchange.ts';
import { HttpCall } from '../transport/http-call.ts';
import type { KeyHolder } from '../operations/operation.ts';
import type { Refusal } from '../operations/refusals.ts';
import type { Peer } from './peer.ts';

export interface HttpPeer extends Peer {
  /**
   * Counts one message, against the account of the key if one was sent, else against the client's address. The refusal
   * once there are too many, or when the key is not good.
   */
  readonly admit: () => Promise<Refusal | null>;
  /** Gives back what the first message was counted above the bytes of the body. */
  readonly noteSize: (bytes: number) => void;
  /** What the limit told about itself last. */
  readonly limitHeaders: () => readonly string[];
  /** The key that was presented and is valid, if one was looked at. */
  readonly keyId: () => string | null;
}

export function httpPeer(exchange: Exchange): HttpPeer {
  const { edge, req, res, requestId, at } = exchange;
  let limitHeaders: readonly string[] = [];
  /** One header, one look at it, however many messages there are. */
  let presented: ReturnType<typeof presentedKey> | undefined;
  /** Counted with the first message. */
  const announced = announcedBytes(req, MAX_BODY_BYTES);
  let bytes = announced;
  let admitted: KeyHolder | null = null;

  async function admit(): Promise<Refusal | null> {
    const { caller, refusal } = await (presented ??= presentedKey(exchange));
    if (refusal !== null) return oftenEnough(exchange, refusal);
    const counted =
      caller === null
        ? await edge.publicLimit(req, edge.now())
        : edge.accountLimits(caller.accountId, { requests: 1, trials: 0, bytes }, edge.now());
    bytes = 0;
    admitted = caller;
    limitHeaders = counted.headers;
    return counted.refusal;
  }

  return {
    requestId,
    at,
    limitHeaders: () => limitHeaders,
    keyId: () => exchange.keyId,
    admit,
    noteSize(size) {
      if (admitted !== null) giveBackUnsent(exchange, admitted, announced, size);
    },
    async authenticate(): Promise<Authentication> {
      const { caller } = await (presented ??= presentedKey(exchange));
      return caller === null
        ? authenticateHeader(req.headers.authorization, at, edge.authenticate)
        : { ok: true, caller };
    },
    countCommand({ accountId }, isTrial) {
      // The body was counted with its message, which can hold many commands.
      const demand: Demand = { requests: 0, trials: isTrial ? 1 : 0, bytes: LEAST_COMMAND_BYTES };
      const counted = edge.accountLimits(accountId, demand, edge.now());
      limitHeaders = counted.headers;
      return counted.refusal;
    },
    call: (caller, identity) => new HttpCall(res, requestId, at, caller, identity),
  };
}
