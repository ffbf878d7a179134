/** Which addresses belong to the public internet: what a webhook may reach. */
import ipaddr from 'ipaddr.js';

/**
 * Only what is globally routable unicast. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo) is no way around: mapped ones
 * are judged as the IPv4 address that they are, the others are refused.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address.split('%')[0] ?? '').range() === 'unicast';
}
