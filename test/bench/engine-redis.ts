/** What limits and tasks in Redis cost in a process, beside the bare packages on the same server. */
import { startRedis } from '../support/redis-server.ts';
import type { Bench, Figure } from './bench.ts';
import { type Gauge, startGauge } from './children.ts';
import type { RedisTask, RedisWork } from './engine-redis.main.ts';
import { beside, median, ratiosOf } from './statistics.ts';

export const engineRedis: Bench = {
  name: 'E3',
  title: 'limits and tasks in Redis beside the bare packages',
  isDurable: false,
  async run({ rounds, seconds, root, say }) {
    const urlOfUser = process.env['REDIS_URL'];
    const own = urlOfUser ? undefined : await startRedis(['--appendfsync', 'everysec']);
    const url = own?.url ?? urlOfUser ?? '';
    say(own === undefined ? '  on the server of REDIS_URL' : '  on a server of its own, synced every second');
    const open = (what: string): Promise<Gauge<RedisWork>> =>
      startGauge('engine-redis.main.ts', [what, url, root]);
    const bare = await open('bare');
    const worker = await open('worker');
    const adapter = await open('adapter');
    const gauges = [bare, worker, adapter];
    const figures: Figure[] = [];

    async function compare(
      task: RedisTask,
      ceiling: Gauge<RedisWork>,
      named: [string, string, number?],
    ): Promise<void> {
      const ask = (gauge: Gauge<RedisWork>) => () => gauge.ask({ task, seconds });
      for (const gauge of [ceiling, adapter]) await ask(gauge)();
      const measured = await beside(rounds, ask(ceiling), ask(adapter));
      const [ceilingName, name, atLeast] = named;
      figures.push(figureOf(ceilingName, measured.ceilings), {
        ...figureOf(name, measured.own),
        against: { what: 'bare', ...ratiosOf(measured) },
        ...(atLeast !== undefined && { goal: { of: 'ratio', atLeast } }),
      });
    }
    await compare('limit', bare, ['rate-limiter-flexible', 'requests counted, 64 in flight', 0.8]);
    await compare('tasks', bare, ['bullmq by hand', 'tasks added, claimed, finished', 0.8]);
    await compare('tasks', worker, ['bullmq by its worker', 'tasks added, claimed, finished']);
    await Promise.all(gauges.map((gauge) => gauge.stop()));
    await own?.close();
    return figures;
  },
};

function figureOf(what: string, results: readonly RedisWork[]): Figure {
  return {
    what,
    unit: '/s',
    values: results.map(({ rate }) => rate),
    cpuUs: median(results.map(({ cpuUs }) => cpuUs)),
  };
}
