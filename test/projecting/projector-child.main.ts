/** Another process that projects, to be overheard and to be killed. It tells of each commit. */
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { projectorOn } from './projector.fixture.ts';

const [, , logPath = '', viewsPath = '', errand = ''] = process.argv;

async function run(): Promise<void> {
  const log = await openSqliteLog({ path: logPath });
  const store = openSqliteViewStore(viewsPath);
  const views: ViewStore = {
    ...store,
    async commit(commits) {
      const refused = await store.commit(commits);
      process.send?.('committed');
      return refused;
    },
  };
  const { projector } = projectorOn(log.store, views, { pageSize: 4, batchDocuments: 4 });
  if (errand === 'rebuild') {
    await views.open([]);
    await projector.rebuild('boxes');
  }
  await catchUpOnce(projector);
  await views.close();
  await log.close();
  process.disconnect();
}

void run();
