/**
 * What the views in MongoDB do in a process, beside the engine's bare client on the same server: the one that
 * `MONGODB_URL` names, or else FerretDB, which looks at every document for every question.
 */
import { startMongo } from '../support/mongodb-server.ts';
import type { Bench, Figure } from './bench.ts';
import { type Gauge, startGauge } from './children.ts';
import type { ViewTask, ViewWork } from './engine-mongodb.main.ts';
import { beside, median, ratiosOf } from './statistics.ts';

const TASKS: Readonly<Record<ViewTask, string>> = {
  fill: 'new documents, 500 a commit',
  change: 'changed documents, 50 a commit',
  get: 'documents read, 16 in flight',
  page: 'pages of 20 with total, 16 in flight',
};

export const engineMongoDb: Bench = {
  name: 'E2',
  title: 'the views in MongoDB beside its bare client',
  isDurable: false,
  async run({ rounds, seconds, root, say }) {
    const urlOfUser = process.env['MONGODB_URL'];
    const own = urlOfUser ? undefined : await startMongo();
    const url = own?.url ?? urlOfUser ?? '';
    say(own === undefined ? '  on the server of MONGODB_URL' : '  on FerretDB');
    const open = (what: string): Promise<Gauge<ViewWork>> =>
      startGauge('engine-mongodb.main.ts', [what, url, root]);
    const [bare, adapter] = [await open('bare'), await open('adapter')];
    const figures: Figure[] = [];
    for (const task of ['fill', 'change', 'get', 'page'] as const) {
      const ask = (gauge: Gauge<ViewWork>) => () => gauge.ask({ task, seconds });
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
    await own?.close();
    return figures;
  },
};

function figureOf(what: string, results: readonly ViewWork[]): Figure {
  return {
    what,
    unit: '/s',
    values: results.map(({ rate }) => rate),
    cpuUs: median(results.map(({ cpuUs }) => cpuUs)),
  };
}
