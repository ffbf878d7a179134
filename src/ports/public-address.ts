/** Which addresses belong to the public internet: what a webhook may reach. */
import ipaddr from 'ipaddr.js';

/**
 * Only what is globally routable unicast. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo, ISATAP) is no way around:
 * mapped ones are judged as the IPv4 address that they are, the others are refused. So is IPv6 that nobody was given:
 * what answers there is inside.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address.split('%')[0] ?? '');
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || (isAllocated(parsed) && !isIsatap(parsed));
}

function isAllocated(address: ipaddr.IPv6): boolean {
  return ALLOCATED.some((network) => address.match(network));
}

/** RFC 5214: the last half is `0:5efe` or `200:5efe`, and an IPv4 address to which a router inside may send it on. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
}

/** IANA's IPv6 Global Unicast Address Assignments: the blocks of the five registries. */
const ALLOCATED = [
  '2001:200::/23',
  '2001:400::/23',
  '2001:600::/23',
  '2001:800::/22',
  '2001:c00::/22',
  '2001:1200::/23',
  '2001:1400::/22',
  '2001:1800::/23',
  '2001:1a00::/23',
  '2001:1c00::/22',
  '2001:2000::/19',
  '2001:4000::/23',
  '2001:4200::/23',
  '2001:4400::/23',
  '2001:4600::/23',
  '2001:4800::/23',
  '2001:4a00::/23',
  '2001:4c00::/23',
  '2001:5000::/20',
  '2001:8000::/19',
  '2001:a000::/20',
  '2001:b000::/20',
  '2003::/18',
  '2400::/12',
  '2410::/12',
  '2600::/12',
  '2610::/23',
  '2620::/23',
  '2630::/12',
  '2800::/12',
  '2a00::/12',
  '2a10::/12',
  '2c00::/12',
].map((network) => ipaddr.IPv6.parseCIDR(network));
