/** Engines on the Redis that all tests of a run share, under a prefix of their own. */
import { Redis } from 'ioredis';
import { openRedis, type RedisEngine } from '../../infra/redis/engine.ts';
import { newPrefix, sharedRedisUrl } from './redis-server.ts';

export interface SharedRedis {
  readonly engine: RedisEngine;
  /** On the same keys, as another process has it. */
  readonly another: RedisEngine;
  readonly prefix: string;
  /** Closes both and removes their keys: the server may be somebody's. */
  readonly close: () => Promise<void>;
}

export async function openSharedRedis(): Promise<SharedRedis> {
  const options = { url: await sharedRedisUrl(), prefix: newPrefix(), onError: () => {} };
  const [engine, another] = await Promise.all([openRedis(options), openRedis(options)]);
  return {
    engine,
    another,
    prefix: options.prefix,
    async close() {
      await Promise.all([engine.close(), another.close()]);
      await removeKeys(options.url, options.prefix);
    },
  };
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const client = new Redis(url);
  try {
    for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 })) {
      if (keys.length > 0) await client.unlink(...keys);
    }
  } finally {
    client.disconnect();
  }
}
