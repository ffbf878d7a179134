import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openRedis, type RedisEngine } from '../../../infra/redis/engine.ts';
import type { NewDelivery } from '../../../src/ports/delivery-log.ts';
import { QueueUnavailable } from '../../../src/ports/queue.ts';
import { newPrefix, type OwnRedis, startRedis, withOwnRedis } from '../../support/redis-server.ts';

const deliveryAt = (createdAt: string, id: string): NewDelivery => ({
  id,
  accountId: 'acc_1',
  endpointId: 'whe_1',
  eventId: 'evt_1',
  type: 'job.funded',
  jobId: null,
  url: 'https://buyer.example/hooks',
  body: '{}',
  createdAt,
});

withOwnRedis('Deliveries in Redis', () => {
  const prefix = newPrefix();
  let redis: OwnRedis;
  let engine: RedisEngine;
  before(async () => {
    redis = await startRedis();
    engine = await openRedis({ url: redis.url, prefix, onError: () => {} });
  });
  after(async () => {
    await engine.close();
    await redis.close();
  });

  it('leave nothing behind when they are forgotten, however many', async () => {
    const { deliveries } = engine;
    const old = Array.from({ length: 1_200 }, (_, i) => deliveryAt('2025-01-01T00:00:00.000Z', `dlv_${i}`));
    await deliveries.begin([...old, deliveryAt('2026-01-01T00:00:00.000Z', 'dlv_young')]);
    const all = { accountId: 'acc_1', endpointId: 'whe_1', limit: 2_000 };
    await deliveries.prune('2025-01-01T00:00:00.000Z');
    expect(await deliveries.list(all)).to.have.lengthOf(1_201);
    await deliveries.prune('2025-06-01T00:00:00.000Z');
    expect((await deliveries.list(all)).map(({ id }) => id)).to.deep.equal(['dlv_young']);

    const client = new Redis(redis.url);
    const keys = await client.keys('*').finally(() => client.disconnect());
    expect(keys.sort()).to.deep.equal(
      ['deliveries-by-age', 'deliveries:acc_1:whe_1', 'delivery:dlv_young'].map((key) => prefix + key),
    );
  });

  it('are refused when Redis is dead', async () => {
    await redis.kill();
    const error = await engine.deliveries.get('dlv_young').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(QueueUnavailable);
  });
});
