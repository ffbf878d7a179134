import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { openRedis } from '../../infra/redis/engine.ts';
import { newPrefix, sharedRedisUrl, withRedis } from '../support/redis-server.ts';
import { limiterContract } from './limiter.contract.ts';

limiterContract('memory', async (windowSeconds) => ({
  limiter: createMemoryLimiter(windowSeconds),
  close: async () => undefined,
}));

withRedis('Limiter: Redis', () =>
  limiterContract('Redis', async (windowSeconds) => {
    const options = { url: await sharedRedisUrl(), prefix: newPrefix(), onTrouble: () => {} };
    const engine = await openRedis(options);
    const local = { windowSeconds, take: () => Promise.reject(new Error('Redis was away')) };
    return { limiter: engine.limiter('n', windowSeconds, local), close: engine.close };
  }),
);
