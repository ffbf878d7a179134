/**
 * What the log in EventStoreDB does in a process, beside the engine's bare client on the same server: the one that
 * `EVENTSTORE_URL` names, or else the double, which leaves the client to be measured and says nothing of the engine.
 */
import type { Bench } from './bench.ts';
import { allBesideBare, measureBeside } from './engine-beside.ts';
import type { LogTask } from './engine-eventstoredb.main.ts';
import { startLogServer } from './log-server.ts';

const TASKS: Readonly<Record<LogTask, string>> = {
  append: 'appends of one event, 64 in flight',
  read: 'events read, a stream of 2,000',
  follow: 'events followed, 20,000 of them',
};

export const engineEventStoreDb: Bench = {
  name: 'E1',
  title: 'the log in EventStoreDB beside its bare client',
  isDurable: false,
  async run(run) {
    const server = await startLogServer(run);
    const comparisons = allBesideBare(TASKS, { of: 'cpuRatio', atLeast: 0.9 });
    const figures = await measureBeside(run, 'engine-eventstoredb.main.ts', server.url, comparisons);
    await server.stop();
    return figures;
  },
};
