/** Whose request it is, for limits: the address that the trusted proxies vouch for, an IPv6 network as one. */
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What limits count by: an IPv4 address, or the /64 of an IPv6 address, within which one client can take any. */
export function clientKey(req: IncomingMessage, trustedHops: number): string {
  const peer = req.socket.remoteAddress ?? '';
  return networkOf(
    trustedHops === 0 ? peer : forwardedAddress(req.headers['x-forwarded-for'], peer, trustedHops),
  );
}

/**
 * Each trusted proxy adds the address it was called from at the right end of X-Forwarded-For; what stands further
 * left was written by the client. An entry that is no address ends the chain: what it hides is not known.
 */
function forwardedAddress(header: string | string[] | undefined, peer: string, trustedHops: number): string {
  const entries = String(header ?? '').split(',');
  let address = peer;
  for (let hop = 0; hop < trustedHops; hop += 1) {
    const entry = withoutPort((entries.pop() ?? '').trim());
    if (!isIPv4(entry) && !isIPv6(entry)) return address;
    address = entry;
  }
  return address;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  if (entry.startsWith('[')) return entry.slice(1, entry.indexOf(']'));
  const colon = entry.indexOf(':');
  return colon !== -1 && entry.includes('.') && entry.indexOf(':', colon + 1) === -1
    ? entry.slice(0, colon)
    : entry;
}

/** How a socket that takes both kinds writes an IPv4 address. */
const MAPPED = '::ffff:';

/** An IPv4 address itself, also one that came as `::ffff:192.0.2.1`; of an IPv6 address its first 64 bits. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith(MAPPED) && address.includes('.')) return address.slice(MAPPED.length);
  const bare = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return address;
  // Also of the other ways to write a mapped address, such as `::ffff:7f00:1`.
  const parsed = ipaddr.process(bare);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
