/**
 * Connects to public addresses alone. The check is made on the very address that the connection goes to: a name is
 * resolved here and nowhere else, so that no second answer of its DNS server (rebinding) can lead elsewhere.
 */
import { isIP, type LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Names } from './names.ts';

/** It says nothing of the address: who may not reach it need not learn it. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor() {
    super('the address is not a public one');
  }
}

export type IsAllowed = (address: string) => boolean;

export interface GuardedConnect {
  readonly connect: buildConnector.connector;
  /** Gives up what is being connected, which undici does not: the process would not end before its time was over. */
  readonly close: () => void;
}

export function guardedConnect(isAllowed: IsAllowed, names: Names, timeoutMs: number): GuardedConnect {
  const begin = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(isAllowed, names) });
  const underWay = new Set<Socket>();
  return {
    connect(options, callback) {
      const literal = options.hostname.replace(/^\[|\]$/g, '');
      // Node does not look up what is an address already.
      if (isIP(literal) !== 0 && !isAllowed(literal)) return callback(new ForbiddenAddress(), null);
      // Its types keep the socket to themselves. It is answered for later, never at once.
      const begun: unknown = begin(options, (...result) => {
        if (begun instanceof Socket) underWay.delete(begun);
        const [error, socket] = result;
        if (error !== null) return callback(error, null);
        if (isReached(socket, isAllowed)) return callback(null, socket);
        socket.destroy();
        callback(new ForbiddenAddress(), null);
      });
      if (begun instanceof Socket) underWay.add(begun);
    },
    close() {
      for (const socket of underWay) socket.destroy();
    },
  };
}

function isReached({ remoteAddress }: Socket, isAllowed: IsAllowed): boolean {
  return remoteAddress !== undefined && isAllowed(remoteAddress);
}

/** A name with one address that is not public is refused whole: nobody needs one for an honest purpose. */
function guardedLookup(isAllowed: IsAllowed, names: Names): LookupFunction {
  return (hostname, options, callback) => {
    const refuse = (error: unknown): void =>
      callback(error instanceof Error ? error : new Error(String(error)), '', 0);
    if (/(?:^|\.)localhost\.?$/i.test(hostname)) return refuse(new ForbiddenAddress());
    names
      .addressesOf(hostname)
      .then((addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined || !addresses.every(isAllowed)) return refuse(new ForbiddenAddress());
        if (options.all === true) callback(null, found);
        else callback(null, first.address, first.family);
      })
      .catch(refuse);
  };
}
