/**
 * What several processes share in Redis: leases. One server or a primary with replicas; not a Redis Cluster, whose
 * nodes would each have a part of what our scripts change together.
 */
import type { Leases } from '../../src/ports/leases.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { parseAddress } from './address.ts';
import { redisLeases } from './leases.ts';
import { type LinkStatus, RedisLink } from './link.ts';
import { checkServer } from './server-check.ts';

export interface RedisOptions {
  /** `redis://` or, with TLS, `rediss://`. */
  readonly url: string;
  /** What all our keys begin with, such as `bourse:`. */
  readonly prefix: string;
  /** Told at start what whoever runs this Redis should mend, a line each. */
  readonly onWarning: (message: string) => void;
}

export interface RedisEngine {
  readonly leases: Leases;
  readonly status: () => LinkStatus;
  /** Nothing of it keeps the process alive afterwards. */
  readonly close: () => Promise<void>;
}

const TIMEOUT_MS = 2_000;
const MAX_UNDER_WAY = 5_000;

/** @throws {QueueUnavailable} it cannot be reached, lets nobody in, or is too old: one line that says why */
export async function openRedis({ url, prefix, onWarning }: RedisOptions): Promise<RedisEngine> {
  const address = parseAddress(url);
  const link = await RedisLink.open({
    address,
    name: `${prefix}main`,
    timeoutMs: TIMEOUT_MS,
    maxUnderWay: MAX_UNDER_WAY,
    isPipelined: false,
  });
  try {
    const info = await link.ask(QueueUnavailable, (client) => client.info().catch(nothingWhereForbidden));
    checkServer(info).forEach(onWarning);
  } catch (error) {
    link.close();
    throw error;
  }
  return {
    leases: redisLeases(link, prefix),
    status: () => link.status(),
    close: async () => link.close(),
  };
}

/** Some who lend out a Redis let nobody ask what it is: then it is taken on trust. */
function nothingWhereForbidden(error: Error): string {
  if (error.message.startsWith('NOPERM')) return '';
  throw error;
}
