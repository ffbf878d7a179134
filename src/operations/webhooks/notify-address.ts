/**
 * Where an account may be notified. What can never be reached is refused when it is given, and not a day later: the
 * sender (infra/undici) goes by the same rules, and by what a name stands for when it connects.
 */
import { isPublicAddress } from '../../ports/public-address.ts';
import { isWebPort } from '../../ports/web-port.ts';
import { linkAddress } from '../schemas/link-address.ts';

/**
 * RFC 6761, 6762, 7686, 8375, and ICANN's `internal`: no name below these is ever found on the public internet. Nor is one
 * without a dot, which only a search domain would complete; the sender has none.
 */
const NEVER_PUBLIC = /(?:^|\.)(?:localhost|local|internal|home\.arpa|onion|invalid|test)\.?$|^[^.]+\.?$/;
const LITERAL = /^(?:\[.+\]|[\d.]+)$/;

export const notifyAddress = linkAddress.superRefine((text, fieldErrors) => {
  const message = URL.canParse(text) ? objectionTo(new URL(text)) : null;
  if (message !== null) fieldErrors.addIssue({ code: 'custom', message });
});

/** What is wrong with it; null where it may be reached. A URL has numbers of all notations as the address they are. */
function objectionTo({ hostname, port }: URL): string | null {
  const isPrivate = LITERAL.test(hostname)
    ? !isPublicAddress(hostname.replace(/^\[|\]$/g, ''))
    : NEVER_PUBLIC.test(hostname);
  if (isPrivate) return 'must be an address on the public internet';
  return isWebPort(port) ? null : 'must have a port on which web servers are found, such as 443';
}
