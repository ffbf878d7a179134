/** B16: what it costs to count one request against both limits of a plan. */
import { join } from 'node:path';
import { startRedis, whyNoRedis } from '../support/redis-server.ts';
import type { Bench, Figure, Goal } from './bench.ts';
import { type Gauge, startGauge } from './children.ts';
import type { Work, WorkOrder } from './engine-work.ts';
import type { MeteringTask } from './metering.main.ts';
import { median } from './statistics.ts';

const NAMES: Readonly<Record<MeteringTask, string>> = {
  inFlight: '64 in flight',
  inTurn: 'one after the other',
};

export const metering: Bench = {
  name: 'B16',
  title: 'requests counted against a plan, durably, 200 accounts',
  isDurable: true,
  async run({ rounds, seconds, scratch, say }) {
    async function measure(engine: string, gauge: Gauge<Work>, goal: Goal): Promise<readonly Figure[]> {
      const figures: Figure[] = [];
      for (const task of ['inFlight', 'inTurn'] as const) {
        const order: WorkOrder<MeteringTask> = { task, seconds };
        await gauge.ask(order);
        const works: Work[] = [];
        for (let round = 0; round < rounds; round += 1) works.push(await gauge.ask(order));
        const cpuUs = median(works.map((work) => work.cpuUs));
        figures.push({
          what: `${engine}, ${NAMES[task]}`,
          unit: '/s',
          values: works.map(({ rate }) => rate),
          cpuUs,
        });
        if (task === 'inFlight')
          figures.push({
            what: `${engine}, CPU of one`,
            unit: ' µs',
            values: works.map((work) => work.cpuUs),
            goal,
          });
      }
      await gauge.stop();
      return figures;
    }

    const file = await startGauge<Work>('metering.main.ts', ['sqlite', join(scratch, 'meter.db')]);
    const embedded = await measure('SQLite', file, { of: 'median', atMost: 25 });
    const missing = whyNoRedis();
    if (missing !== null) {
      say(`  without Redis: ${missing}`);
      return embedded;
    }
    const redis = await startRedis(['--appendfsync', 'everysec']);
    const server = await startGauge<Work>('metering.main.ts', ['redis', redis.url]);
    const shared = await measure('Redis', server, { of: 'median', atMost: 60 });
    await redis.close();
    return [...embedded, ...shared];
  },
};
