/** The Leases port in Redis: a key for each lease that holds its holder and ends by itself. */
import { type Leases, LeasesUnavailable } from '../../src/ports/leases.ts';
import type { RedisLink } from './link.ts';

const TAKE = `
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
`;

const RELEASE = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;

export function redisLeases(link: RedisLink, prefix: string): Leases {
  const keyOf = (name: string): string => `${prefix}lease:${name}`;
  return {
    async take(name, holder, ttlMs) {
      const taken = await link.ask(LeasesUnavailable, (client) =>
        client.eval(TAKE, 1, keyOf(name), holder, Math.ceil(ttlMs)),
      );
      return taken === 1;
    },
    async release(name, holder) {
      await link.ask(LeasesUnavailable, (client) => client.eval(RELEASE, 1, keyOf(name), holder));
    },
  };
}
