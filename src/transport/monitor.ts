/** Who may see how a process is inside: monitoring with its token, and whoever sits at the machine of a market that is there alone. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackAddress, isLoopbackUrl } from '../settings/loopback.ts';
import { credentialOf } from './http-caller.ts';
import type { MonitorCheck } from './exchange.ts';

export interface MonitorTerms {
  readonly metricsToken: string | undefined;
  readonly baseUrl: string;
  readonly trustProxyHops: number;
}

/** Whether this machine is told more than strangers are, without a token. */
export function tellsThisMachine({
  baseUrl,
  trustProxyHops,
}: Pick<MonitorTerms, 'baseUrl' | 'trustProxyHops'>): boolean {
  return isLoopbackUrl(baseUrl) && trustProxyHops === 0;
}

/**
 * A connection from this machine alone says nothing: a proxy on it brings strangers. It counts where nobody is invited
 * from elsewhere, which is where the public address is one of this machine.
 */
export function createMonitorCheck({ metricsToken, ...terms }: MonitorTerms): MonitorCheck {
  const isAtHome = tellsThisMachine(terms);
  const expected = metricsToken === undefined ? undefined : digestOf(metricsToken);
  return ({ headers, socket }) => {
    const sent = credentialOf(headers.authorization);
    if (
      expected !== undefined &&
      typeof sent === 'object' &&
      timingSafeEqual(digestOf(sent.apiKey), expected)
    )
      return true;
    return (
      isAtHome && headers['x-forwarded-for'] === undefined && isLoopbackAddress(socket.remoteAddress ?? '')
    );
  };
}

/** Texts of different lengths cannot be compared in constant time; their hashes can. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
