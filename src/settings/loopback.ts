/** Whether an address leads to this machine and nowhere else. */
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** @param address of IPv4 or IPv6, also `::ffff:127.0.0.1` */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** @param url an absolute one; its host is a name or an address */
export function isLoopbackUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}
