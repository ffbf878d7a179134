import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { withRedis } from '../support/redis-server.ts';
import { openSharedRedis } from '../support/shared-redis.ts';
import { limiterContract } from './limiter.contract.ts';

limiterContract('memory', async (windowSeconds) => ({
  limiter: createMemoryLimiter(windowSeconds),
  close: async () => undefined,
}));

withRedis('Limiter: Redis', () =>
  limiterContract('Redis', async (windowSeconds) => {
    const { engine, close } = await openSharedRedis();
    const local = { windowSeconds, take: () => Promise.reject(new Error('Redis was away')) };
    return { limiter: engine.limiter('n', windowSeconds, local), close };
  }),
);
