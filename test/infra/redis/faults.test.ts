/** What becomes of callers when Redis dies, says nothing, and comes back: an answer each, and never a hang. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openRedis, type RedisEngine } from '../../../infra/redis/engine.ts';
import { LeasesUnavailable } from '../../../src/ports/leases.ts';
import { newPrefix, type OwnRedis, startRedis, withOwnRedis } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';

withOwnRedis('Redis that fails', () => {
  let redis: OwnRedis;
  let engine: RedisEngine;
  let troubles: string[];
  beforeEach(async () => {
    redis = await startRedis();
    troubles = [];
    const onError = ({ message }: Error): void => void troubles.push(message);
    engine = await openRedis({ url: redis.url, prefix: newPrefix(), onError });
  });
  afterEach(async () => {
    await engine.close();
    await redis.close();
  });

  const take = () => engine.leases.take('duty', 'me', 60_000);
  const failure = () => take().catch((reason: unknown) => reason);
  const isBack = () =>
    take().then(
      () => true,
      () => false,
    );

  it('is away when it is killed, and back by itself with what it held', async () => {
    await take();
    await redis.kill();
    expect(await failure()).to.be.instanceOf(LeasesUnavailable);
    await until('its end is noticed', async () => /Redis at redis:\S+ is away/.test(String(await failure())));
    const { state, since } = engine.status();
    expect(state).to.equal('away');
    await failure();
    expect(engine.status().since, 'the beginning of it').to.equal(since);
    await redis.start();
    await until('it is back', isBack);
    await until('all of it is back', () => engine.status().state === 'up');
    expect(await engine.leases.take('duty', 'another', 60_000)).to.equal(false);
  });

  it('answers every caller while it is silent, and is back by itself', async () => {
    redis.silence();
    const waiting = Array.from({ length: 100 }, failure);
    for (const error of await Promise.all(waiting)) expect(error).to.be.instanceOf(LeasesUnavailable);
    await until('its silence is noticed', () => engine.status().state === 'away');
    expect(String(await failure())).to.match(/is away/);
    redis.wake();
    await until('it is back', isBack);
  });

  it('takes no more callers at once than it can hold', async () => {
    redis.silence();
    const errors = await Promise.all(Array.from({ length: 6_000 }, failure));
    expect(errors.filter((error) => /is overloaded/.test(String(error)))).to.have.lengthOf(1_000);
  });

  it('does nothing a second time by itself after its connection was lost', async () => {
    redis.silence();
    const lost = failure();
    await redis.kill();
    expect(await lost).to.be.instanceOf(LeasesUnavailable);
    await redis.start();
    await until('the connection is back', () => engine.status().state === 'up');
    expect(await engine.leases.take('duty', 'another', 60_000)).to.equal(true);
  });

  it('looks for the primary anew when it has become a replica', async () => {
    const client = new Redis(redis.url);
    try {
      await client.replicaof('127.0.0.1', 1);
      expect(await failure()).to.be.instanceOf(LeasesUnavailable);
      await until('the connection is left', () => troubles.some((message) => /is lost/.test(message)));
      await client.replicaof('NO', 'ONE');
      await until('it is back', isBack);
    } finally {
      client.disconnect();
    }
  });

  it('is known to refuse writes before a task is, with the reason, and to take them again', async () => {
    const client = new Redis(redis.url);
    const refusal = () =>
      engine.queue.checkWritable?.().then(
        () => '',
        (error: unknown) => String(error),
      );
    const refuses = (why: RegExp) => until(`it is ${why}`, async () => why.test((await refusal()) ?? ''));
    const takes = () => until('it takes writes again', async () => (await refusal()) === '');
    try {
      expect(await refusal()).to.equal('');
      await client.config('SET', 'maxmemory', '1');
      await refuses(/its memory is full/);
      expect(await engine.queue.nextDueAtMs('deliver'), 'reading still works').to.equal(null);
      await client.config('SET', 'maxmemory', '0');
      await takes();

      const [, folder = ''] = (await client.config('GET', 'dir')) as string[];
      mkdirSync(join(folder, 'dump.rdb', 'x'), { recursive: true });
      await client.config('SET', 'save', '3600 1');
      await client.bgsave();
      await refuses(/cannot save its data/);
      await client.config('SET', 'stop-writes-on-bgsave-error', 'no');
      await takes();

      await client.replicaof('127.0.0.1', 1);
      await refuses(/is a replica|is away|is lost/);
      await client.replicaof('NO', 'ONE');
      await takes();
    } finally {
      client.disconnect();
    }
  });

  it('fails whoever waits when it is closed', async () => {
    redis.silence();
    const waiting = failure();
    await engine.close();
    expect(await waiting).to.be.instanceOf(LeasesUnavailable);
    expect(await failure()).to.be.instanceOf(LeasesUnavailable);
  });
});
