/**
 * Connects to public addresses alone. The check is made on the very address that the connection goes to: a name is
 * resolved here and nowhere else, so that no second answer of its DNS server (rebinding) can lead elsewhere.
 */
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

export type IsAllowed = (address: string) => boolean;

export function guardedConnect(isAllowed: IsAllowed, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(isAllowed) });
  return (options, callback) => {
    const literal = options.hostname.replace(/^\[|\]$/g, '');
    // Node does not look up what is an address already.
    if (isIP(literal) !== 0 && !isAllowed(literal)) return callback(forbidden(literal), null);
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      if (isReached(socket, isAllowed)) return callback(null, socket);
      socket.destroy();
      callback(forbidden(String(socket.remoteAddress)), null);
    });
  };
}

function isReached({ remoteAddress }: Socket, isAllowed: IsAllowed): boolean {
  return remoteAddress !== undefined && isAllowed(remoteAddress);
}

/** A name with one address that is not public is refused whole: nobody needs one for an honest purpose. */
function guardedLookup(isAllowed: IsAllowed): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: readonly LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error ?? forbidden(hostname), '', 0);
      const wrong = addresses.find(({ address }) => !isAllowed(address));
      if (wrong !== undefined) return callback(forbidden(wrong.address), '', 0);
      if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}

function forbidden(address: string): ForbiddenAddress {
  return new ForbiddenAddress(`${address} is not a public address`);
}
