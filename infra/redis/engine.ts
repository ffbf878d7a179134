/**
 * What several processes share in Redis: limits, tasks, deliveries, leases and what is metered. It is one server, with replicas or
 * without; not a Redis Cluster, whose nodes would each have a part of what a script of ours changes together.
 */
import type { DeliveryLog } from '../../src/ports/delivery-log.ts';
import type { Leases } from '../../src/ports/leases.ts';
import type { Limiter } from '../../src/ports/limiter.ts';
import type { Meter } from '../../src/ports/meter.ts';
import { type Queue, QueueUnavailable } from '../../src/ports/queue.ts';
import { parseAddress } from './address.ts';
import { redisDeliveryLog } from './delivery-log.ts';
import { redisLeases } from './leases.ts';
import { redisLimiter } from './limiter.ts';
import { type LinkStatus, RedisLink } from './link.ts';
import { redisMeter } from './meter.ts';
import { redisQueue } from './queue.ts';
import { checkServer } from './server-check.ts';

export interface RedisOptions {
  /** `redis://` or, with TLS, `rediss://`. */
  readonly url: string;
  /** What all our keys begin with, such as `bourse:`. */
  readonly prefix: string;
  /** Told at start what whoever runs this Redis should mend, and later of each loss of a connection. */
  readonly onError: (error: Error) => void;
}

export interface RedisEngine {
  readonly queue: Queue;
  readonly deliveries: DeliveryLog;
  readonly leases: Leases;
  readonly meter: Meter;
  /**
   * One count for all processes, by the name of what is limited.
   * @param local counts while Redis is away
   */
  readonly limiter: (name: string, windowSeconds: number, local: Limiter) => Limiter;
  /** Up while all that is kept in Redis can be reached. */
  readonly status: () => LinkStatus;
  /** Nothing of it keeps the process alive afterwards. */
  readonly close: () => Promise<void>;
}

const TIMEOUTS_MS = {
  main: 2_000,
  /** Requests wait for it, once: after that the connection counts as away. */
  limits: 1_000,
};
const MAX_UNDER_WAY = 5_000;

/** @throws {QueueUnavailable} it cannot be reached, lets nobody in, or is too old: one line that says why */
export async function openRedis({ url, prefix, onError }: RedisOptions): Promise<RedisEngine> {
  const address = parseAddress(url);
  const open = (name: keyof typeof TIMEOUTS_MS): Promise<RedisLink> =>
    RedisLink.open({
      address,
      name: prefix + name,
      timeoutMs: TIMEOUTS_MS[name],
      maxUnderWay: MAX_UNDER_WAY,
      onLost: onError,
    });
  const links: RedisLink[] = [];
  const close = async (): Promise<void> => {
    for (const link of links) link.close();
  };
  try {
    const main = await open('main');
    links.push(main);
    const info = await main.ask(QueueUnavailable, (client) => client.info().catch(nothingWhereForbidden));
    for (const warning of checkServer(info)) onError(new Error(warning));
    const limits = await open('limits');
    links.push(limits);
    return {
      queue: redisQueue(main, prefix),
      deliveries: redisDeliveryLog(main, prefix),
      leases: redisLeases(main, prefix),
      meter: redisMeter(limits, prefix),
      limiter: (name, windowSeconds, local) =>
        redisLimiter(limits, `${prefix}limit:${name}`, windowSeconds, local),
      status: () => worst(main.status(), limits.status()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Away since the first was lost, up since the last came back. */
function worst(one: LinkStatus, other: LinkStatus): LinkStatus {
  if (one.state !== other.state) return one.state === 'away' ? one : other;
  const isOneEarlier = one.since < other.since;
  return isOneEarlier === (one.state === 'away') ? one : other;
}

/** Some who lend out a Redis let nobody ask what it is: then it is taken on trust. */
function nothingWhereForbidden(error: Error): string {
  if (error.message.startsWith('NOPERM')) return '';
  throw error;
}
