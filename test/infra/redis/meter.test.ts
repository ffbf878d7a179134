/** One meter for several nodes: exact to the request, on Redis' own clock, and never open while Redis is away. */
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openRedis, type RedisEngine } from '../../../infra/redis/engine.ts';
import { boundsOf, type Draw, MeterUnavailable } from '../../../src/ports/meter.ts';
import { startMetered } from '../../support/metered.ts';
import { newPrefix, type OwnRedis, startRedis, withOwnRedis } from '../../support/redis-server.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';

const QUOTA = 1_000;
const DAY_MS = 86_400_000;
/** Into another month, whenever it is. */
const DAYS_AHEAD = 40;
const MORE_THAN_A_MINUTE_DAYS = 70 / 86_400;
const accountId = 'acc_shared';
const draw = {
  accountId,
  keyId: 'key_a',
  operation: 'listTools',
  allowance: { perMinute: 1_000_000, perMonth: QUOTA },
  costsQuota: true,
};

withOwnRedis('A meter in Redis', () => {
  let redis: OwnRedis;
  let prefix: string;
  let engine: RedisEngine;
  beforeEach(async () => {
    redis = await startRedis();
    prefix = newPrefix();
    engine = await openRedis({ url: redis.url, prefix, onError: () => {} });
  });
  afterEach(async () => {
    await engine.close();
    await redis.close();
  });

  async function begin(counted = 0): Promise<void> {
    const asked = await engine.meter.count(draw, null);
    if (asked.kind !== 'unseeded') throw new Error('it knows an account that never came');
    await engine.meter.seed({ accountId, period: asked.period, totals: { counted, returned: 0 } });
  }
  async function totals() {
    const read = await engine.meter.read(accountId, draw.allowance, null);
    return read.kind === 'unseeded' ? null : read.reading.month.totals;
  }

  /** How many of the requests of three nodes at once were counted; the clock of the second is ahead. */
  async function countedOf(requests: number, allowance: Draw['allowance'], daysAhead: number) {
    const place = { kind: 'redis', url: redis.url, prefix } as const;
    const errand = { place, draw: { ...draw, allowance }, requests, inFlight: 100 };
    const nodes = await Promise.all([0, daysAhead, 0].map((days) => startMetered(errand, days)));
    for (const node of nodes) node.go();
    await Promise.all(nodes.map(({ ended }) => ended));
    return nodes.reduce((sum, node) => sum + node.counted(), 0);
  }

  it('answers exactly 1,000 of 3,000 requests at once over three nodes, whose clocks differ', async () => {
    await begin();
    // A node that counted by its own clock would count in another month, or for nothing.
    expect(await countedOf(100, draw.allowance, DAYS_AHEAD)).to.equal(300);
    expect(await countedOf(900, draw.allowance, DAYS_AHEAD)).to.equal(QUOTA - 300);
    expect(await totals()).to.deep.equal({ counted: QUOTA, returned: 0 });
  }).timeout(120_000);

  it('answers exactly the rate of a minute, though the clock of a node is ahead by more than it', async () => {
    await begin();
    const allowance = { perMinute: 300, perMonth: 1_000_000 };
    expect(await countedOf(300, allowance, MORE_THAN_A_MINUTE_DAYS)).to.equal(300);
  }).timeout(120_000);

  it('lets nothing through while Redis is dead, and has its counts when it is back', async () => {
    await begin(QUOTA - 2);
    await engine.meter.count(draw, null);
    await redis.kill();
    const failure = await rejectionOf(engine.meter.count(draw, null));
    expect(failure).to.be.instanceOf(MeterUnavailable);
    await redis.start();
    await until('Redis is back', () => engine.status().state === 'up');
    expect(await totals()).to.deep.equal({ counted: QUOTA - 1, returned: 0 });
    expect(await engine.meter.count(draw, null)).to.include({ kind: 'counted' });
    expect(await engine.meter.count(draw, null)).to.include({ kind: 'refused', by: 'month' });
  });

  it('says that it knows nothing of the month when Redis has lost its data', async () => {
    await begin(7);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    expect(await engine.meter.count(draw, null)).to.include({ kind: 'unseeded' });
  });

  it('names no month as unsaved that Redis has no more, and lets none of them be in the way', async () => {
    await begin();
    await engine.meter.count(draw, null);
    const client = new Redis(redis.url);
    await client.del(...(await client.keys(`${prefix}meter:*`)));
    client.disconnect();
    expect(await engine.meter.unsaved(1), 'the lost one').to.deep.equal([]);
    const another = { ...draw, accountId: 'acc_another' };
    const asked = await engine.meter.count(another, null);
    if (asked.kind !== 'unseeded') throw new Error('it knows an account that never came');
    const month = { accountId: 'acc_another', period: asked.period };
    await engine.meter.seed({ ...month, totals: { counted: 7, returned: 0 } });
    await engine.meter.count(another, null);
    const totals = { counted: 8, returned: 0 };
    expect(await engine.meter.unsaved(1)).to.deep.equal([{ ...month, totals }]);
  });

  it('names more unsaved months at once than it takes questions', async () => {
    const asked = await engine.meter.count(draw, null);
    if (asked.kind !== 'unseeded') throw new Error('it knows an account that never came');
    const { period } = asked;
    const accounts = Array.from({ length: 6_000 }, (_, i) => `acc_${i}`);
    // So few at once that each is answered in its time on a busy machine.
    const atOnce = 100;
    for (let from = 0; from < accounts.length; from += atOnce)
      await Promise.all(
        accounts.slice(from, from + atOnce).map(async (one) => {
          await engine.meter.seed({ accountId: one, period, totals: { counted: 0, returned: 0 } });
          await engine.meter.count({ ...draw, accountId: one }, null);
        }),
      );
    expect(await engine.meter.unsaved(10_000)).to.have.lengthOf(6_000);
    expect(await engine.meter.unsaved(10)).to.have.lengthOf(10);
  });

  it('reads a long history in parts, between which others count', async () => {
    await begin();
    const client = new Redis(redis.url);
    const KEYS = 5_000;
    const counted = await engine.meter.count(draw, null);
    if (counted.kind !== 'counted') throw new Error('it was to be counted');
    const { nowMs } = counted.reading;
    const [fromMs, toMs] = boundsOf('month', nowMs);
    const period = new Date(nowMs).toISOString().slice(0, 7);
    const day = Math.floor(nowMs / DAY_MS);
    const fields = Array.from({ length: KEYS }, (_, i) => [`${day} key_${i} listTools`, 2]);
    await client.hset(`${prefix}meter:${accountId}:days:${period}`, ...fields.flat());
    const rows = await engine.meter.history({
      accountId,
      fromMs,
      toMs,
      bucket: 'month',
      groupBy: 'operation',
      limit: 10,
    });
    expect(rows).to.deep.equal([{ startMs: fromMs, group: 'listTools', requests: 2 * KEYS + 1 }]);
    const stats = await client.info('commandstats');
    client.disconnect();
    expect(stats).to.not.include('cmdstat_hgetall');
    expect(Number(/cmdstat_hscan:calls=(\d+)/.exec(stats)?.[1])).to.be.at.least(4);
  });
});
