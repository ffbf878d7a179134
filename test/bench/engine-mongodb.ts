/**
 * What the views in MongoDB do in a process, beside the engine's bare client on the same server: the one that
 * `MONGODB_URL` names, or else FerretDB, which looks at every document for every question.
 */
import { startMongo } from '../support/mongodb-server.ts';
import type { Bench } from './bench.ts';
import { allBesideBare, measureBeside } from './engine-beside.ts';
import type { ViewTask } from './engine-mongodb.main.ts';

const TASKS: Readonly<Record<ViewTask, string>> = {
  fill: 'new documents, 500 a commit',
  change: 'changed documents, 50 a commit',
  get: 'documents read, 16 in flight',
  page: 'pages of 20 with total, 16 in flight',
};

export const engineMongoDb: Bench = {
  name: 'E4',
  title: 'the views in MongoDB beside its bare client',
  isDurable: false,
  async run(run) {
    const urlOfUser = process.env['MONGODB_URL'];
    const own = urlOfUser ? undefined : await startMongo();
    const url = own?.url ?? urlOfUser ?? '';
    run.say(own === undefined ? '  on the server of MONGODB_URL' : '  on FerretDB');
    const figures = await measureBeside(
      run,
      'engine-mongodb.main.ts',
      url,
      allBesideBare(TASKS, { of: 'ratio', atLeast: 0.8 }),
    );
    await own?.close();
    return figures;
  },
};
