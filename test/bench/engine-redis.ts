/** What limits and tasks in Redis cost in a process, beside the bare packages on the same server. */
import { startRedis } from '../support/redis-server.ts';
import type { Bench } from './bench.ts';
import { type Comparison, measureBeside } from './engine-beside.ts';
import type { RedisTask } from './engine-redis.main.ts';

const COMPARISONS: readonly Comparison<RedisTask>[] = [
  {
    task: 'limit',
    name: 'requests counted, 64 in flight',
    ceiling: 'bare',
    ceilingName: 'rate-limiter-flexible',
    goal: { of: 'ratio', atLeast: 0.8 },
  },
  {
    task: 'tasks',
    name: 'tasks added, claimed, finished',
    ceiling: 'bare',
    ceilingName: 'bullmq by hand',
    goal: { of: 'ratio', atLeast: 0.8 },
  },
  {
    task: 'tasks',
    name: 'tasks added, claimed, finished',
    ceiling: 'worker',
    ceilingName: 'bullmq by its worker',
  },
];

export const engineRedis: Bench = {
  name: 'E5',
  title: 'limits and tasks in Redis beside the bare packages',
  isDurable: false,
  async run(run) {
    const urlOfUser = process.env['REDIS_URL'];
    const own = urlOfUser ? undefined : await startRedis(['--appendfsync', 'everysec']);
    const url = own?.url ?? urlOfUser ?? '';
    run.say(
      own === undefined ? '  on the server of REDIS_URL' : '  on a server of its own, synced every second',
    );
    const figures = await measureBeside(run, 'engine-redis.main.ts', url, COMPARISONS);
    await own?.close();
    return figures;
  },
};
