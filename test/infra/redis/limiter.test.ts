/** Limits that processes share, and what becomes of requests when Redis is not there to count them. */
import { expect } from 'chai';
import { createMemoryLimiter } from '../../../infra/memory/limiter.ts';
import { openRedis, type RedisEngine } from '../../../infra/redis/engine.ts';
import type { Limiter } from '../../../src/ports/limiter.ts';
import { newPrefix, type OwnRedis, startRedis, withOwnRedis } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';

const LIMIT = 20;

withOwnRedis('Limits in Redis', () => {
  let redis: OwnRedis;
  let prefix: string;
  let engines: RedisEngine[];
  beforeEach(async () => {
    redis = await startRedis();
    prefix = newPrefix();
    engines = [];
  });
  afterEach(async () => {
    for (const engine of engines) await engine.close();
    await redis.close();
  });

  async function open(): Promise<RedisEngine> {
    const engine = await openRedis({ url: redis.url, prefix, onError: () => {} });
    engines.push(engine);
    return engine;
  }

  const limiterOf = (engine: RedisEngine, name = 'reads'): Limiter =>
    engine.limiter(name, 3_600, createMemoryLimiter(3_600));
  const allowedOf = async (limiters: readonly Limiter[], times = 100): Promise<number> => {
    const asked = Array.from({ length: times }, (_, i) =>
      limiters[i % limiters.length]!.take('somebody', LIMIT, Date.now()),
    );
    return (await Promise.all(asked)).filter(({ allowed }) => allowed).length;
  };

  it('are one count for several processes, however many come at once', async () => {
    const limiters = [limiterOf(await open()), limiterOf(await open())];
    expect(await allowedOf(limiters)).to.equal(LIMIT);
  });

  it('are apart by name', async () => {
    const engine = await open();
    expect(await allowedOf([limiterOf(engine)])).to.equal(LIMIT);
    expect(await allowedOf([limiterOf(engine, 'records')])).to.equal(LIMIT);
  });

  it('are counted by each process alone while Redis is dead, and together again when it is back', async () => {
    const engine = await open();
    const limiter = limiterOf(engine);
    expect(await allowedOf([limiter])).to.equal(LIMIT);
    await redis.kill();
    expect(await allowedOf([limiter])).to.equal(LIMIT);
    await redis.start();
    await until('Redis is back', () => engine.status().state === 'up');
    expect(await allowedOf([limiterOf(engine)]), 'what Redis had counted').to.equal(0);
  });

  it('hold no request when Redis says nothing: the local count answers each', async () => {
    const engine = await open();
    const limiter = limiterOf(engine);
    await allowedOf([limiter]);
    redis.silence();
    expect(await allowedOf([limiter])).to.equal(LIMIT);
    await until('the silence is noticed', () => engine.status().state === 'away');
    expect(await allowedOf([limiter])).to.equal(0);
    redis.wake();
    await until('Redis is back', () => engine.status().state === 'up');
    expect(await allowedOf([limiterOf(engine)]), 'what Redis had counted').to.equal(0);
  });
});
