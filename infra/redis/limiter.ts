/**
 * The Limiter port in Redis, by rate-limiter-flexible: one count for all processes, in one round trip. While Redis is
 * away each process counts for itself, at once and without a request waiting for it.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limiter, Verdict } from '../../src/ports/limiter.ts';
import type { RedisLink } from './link.ts';

/** In place of the package's own script, which counts refused requests too. Answers with the count and the time left. */
const COUNT = `
  local taken = tonumber(redis.call('GET', KEYS[1]) or '0')
  local limit = tonumber(ARGV[3])
  if taken >= limit then return {limit + 1, redis.call('PTTL', KEYS[1])} end
  if taken > 0 then return {redis.call('INCR', KEYS[1]), redis.call('PTTL', KEYS[1])} end
  redis.call('SET', KEYS[1], 1, 'EX', ARGV[2])
  return {1, 1000 * ARGV[2]}
`;

/** @param local counts while Redis is away */
export function redisLimiter(
  link: RedisLink,
  keyPrefix: string,
  windowSeconds: number,
  local: Limiter,
): Limiter {
  /** There are as many as there are different limits: few. */
  const limiters = new Map<number, RateLimiterRedis>();

  function limiterOf(limit: number): RateLimiterRedis {
    const known = limiters.get(limit);
    if (known !== undefined) return known;
    const limiter = new RateLimiterRedis({
      storeClient: link.client,
      keyPrefix,
      points: limit,
      duration: windowSeconds,
      customIncrTtlLuaScript: COUNT,
    });
    limiters.set(limit, limiter);
    return limiter;
  }

  return {
    windowSeconds,
    async take(key, limit, nowMs) {
      try {
        const counted = await link.ask(LimiterAway, () => limiterOf(limit).consume(key).catch(refused));
        return verdictOf(counted, limit);
      } catch (error) {
        if (error instanceof LimiterAway) return local.take(key, limit, nowMs);
        throw error;
      }
    },
  };
}

/** Never leaves this file: whoever asks gets the local limiter's answer. */
class LimiterAway extends Error {}

/** The package rejects with a count where the limit is passed, and with an error where Redis failed. */
function refused(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason;
  throw reason;
}

function verdictOf({ consumedPoints, msBeforeNext }: RateLimiterRes, limit: number): Verdict {
  return {
    allowed: consumedPoints <= limit,
    remaining: Math.max(0, limit - consumedPoints),
    resetMs: Math.max(1, msBeforeNext),
  };
}
