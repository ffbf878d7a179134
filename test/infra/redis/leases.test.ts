import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openRedis, type RedisEngine } from '../../../infra/redis/engine.ts';
import { holdLease, type LeaseHolder } from '../../../src/background/lease-holder.ts';
import { newPrefix, type OwnRedis, startRedis, withOwnRedis } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';

withOwnRedis('Work under a lease in Redis', () => {
  const prefix = newPrefix();
  let redis: OwnRedis;
  let engines: RedisEngine[];
  let holders: LeaseHolder[];
  let working: Set<string>;
  let most: number;
  beforeEach(async () => {
    redis = await startRedis();
    [engines, holders, working, most] = [[], [], new Set(), 0];
    for (let i = 0; i < 3; i += 1) {
      const engine = await openRedis({ url: redis.url, prefix, onError: () => {} });
      engines.push(engine);
      holders.push(hold(engine));
    }
  });
  afterEach(async () => {
    await Promise.all(holders.map((holder) => holder.stop()));
    for (const engine of engines) await engine.close();
    await redis.close();
  });

  function hold({ leases }: RedisEngine): LeaseHolder {
    const holder = randomUUID();
    return holdLease({
      leases,
      name: 'duty',
      holder,
      ttlMs: 2_000,
      onError: () => {},
      async run(signal) {
        working.add(holder);
        most = Math.max(most, working.size);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        working.delete(holder);
      },
    });
  }

  it('is done by one, who stops while Redis is dead or silent, and by one again when it is back', async () => {
    await until('one works', () => working.size === 1);
    await redis.kill();
    await until('nobody works', () => working.size === 0);
    await redis.start();
    await until('one works again', () => working.size === 1);
    redis.silence();
    await until('nobody works', () => working.size === 0);
    redis.wake();
    await until('one works once more', () => working.size === 1);
    expect(most).to.equal(1);
  });
});
