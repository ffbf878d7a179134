import { Redis } from 'ioredis';
import { createMemoryMeter } from './memory/meter.ts';
import { openSqliteMeter } from '../../infra/sqlite/meter.ts';
import { sharedRedisUrl, withRedis } from '../support/redis-server.ts';
import { openSharedRedis } from '../support/shared-redis.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { meterContract } from './meter.contract.ts';

/** A clock that stands still, at noon: neither the hour nor the month ends in the midst of a test. */
function stillClock() {
  let nowMs = Date.parse('2026-11-27T12:00:00.000Z');
  return { now: () => nowMs, pass: async (_accountId: string, ms: number) => void (nowMs += ms) };
}

meterContract('memory', async () => {
  const { now, pass } = stillClock();
  const meter = createMemoryMeter(now);
  return { mine: meter, theirs: meter, pass, close: async () => {} };
});

meterContract('SQLite', async () => {
  const { now, pass } = stillClock();
  const folder = await tempFolder();
  const mine = openSqliteMeter(folder.file('meter.db'), now);
  const theirs = openSqliteMeter(folder.file('meter.db'), now);
  return {
    mine: mine.meter,
    theirs: theirs.meter,
    pass,
    async close() {
      await Promise.all([mine.close(), theirs.close()]);
      await folder.remove();
    },
  };
});

withRedis('Meter: Redis', () =>
  meterContract('Redis', async () => {
    const { engine, another, prefix, close } = await openSharedRedis();
    const client = new Redis(await sharedRedisUrl());
    return {
      mine: engine.meter,
      theirs: another.meter,
      // Its clock cannot be set: what it has seen is moved back instead.
      async pass(accountId, ms) {
        const key = `${prefix}meter:${accountId}:minute`;
        const times = await client.lrange(key, 0, -1);
        await client.del(key);
        if (times.length > 0) await client.rpush(key, ...times.map((time) => Number(time) - ms));
      },
      async close() {
        client.disconnect();
        await close();
      },
    };
  }),
);
