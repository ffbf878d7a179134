/**
 * What the log in EventStoreDB does in a process, beside the engine's bare client on the same server: the one that
 * `EVENTSTORE_URL` names, or else the double, which leaves the client to be measured and says nothing of the engine.
 */
import { eventStoreDbUrl } from '../support/eventstoredb-logs.ts';
import { startEventStoreDouble } from '../support/eventstoredb/double.ts';
import type { Bench, Figure } from './bench.ts';
import { type Gauge, startGauge } from './children.ts';
import type { LogTask, LogWork } from './engine-eventstoredb.main.ts';
import { beside, median, ratiosOf } from './statistics.ts';

const TASKS: Readonly<Record<LogTask, string>> = {
  append: 'appends of one event, 64 in flight',
  read: 'events read, a stream of 2,000',
  follow: 'events followed, 20,000 of them',
};

export const engineEventStoreDb: Bench = {
  name: 'E1',
  title: 'the log in EventStoreDB beside its bare client',
  isDurable: false,
  async run({ rounds, seconds, root, say }) {
    const double = eventStoreDbUrl ? undefined : await startEventStoreDouble();
    const url = eventStoreDbUrl ?? double?.url ?? '';
    say(double === undefined ? '  on the server of EVENTSTORE_URL' : '  on the double');
    const open = (what: string): Promise<Gauge<LogWork>> =>
      startGauge('engine-eventstoredb.main.ts', [what, url, root]);
    const [bare, adapter] = [await open('bare'), await open('adapter')];
    const figures: Figure[] = [];
    for (const task of ['append', 'read', 'follow'] as const) {
      const ask = (gauge: Gauge<LogWork>) => () => gauge.ask({ task, seconds });
      await ask(bare)();
      await ask(adapter)();
      const measured = await beside(rounds, ask(bare), ask(adapter));
      figures.push(figureOf(`bare: ${TASKS[task]}`, measured.ceilings), {
        ...figureOf(TASKS[task], measured.own),
        against: { what: 'bare', ...ratiosOf(measured) },
        goal: { of: 'ratio', atLeast: 0.8 },
      });
    }
    await bare.stop();
    await adapter.stop();
    await double?.stop();
    return figures;
  },
};

function figureOf(what: string, results: readonly LogWork[]): Figure {
  return {
    what,
    unit: '/s',
    values: results.map(({ rate }) => rate),
    cpuUs: median(results.map(({ cpuUs }) => cpuUs)),
  };
}
