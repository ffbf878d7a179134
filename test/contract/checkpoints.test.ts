import { memoryCheckpoints } from './memory/checkpoints.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { eventStoreDbKinds, sayIfNoEventStoreDb } from '../support/eventstoredb-logs.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { checkpointsContract } from './checkpoints.contract.ts';

checkpointsContract('memory', async () => ({ checkpoints: memoryCheckpoints(), close: async () => {} }));

checkpointsContract('SQLite', async () => {
  const folder = await tempFolder();
  const { checkpoints, close } = await openSqliteLog({ path: folder.file('log.db') });
  return { checkpoints, close: () => close().then(folder.remove) };
});

for (const { name, start } of eventStoreDbKinds) {
  checkpointsContract(name, async () => {
    const { open, dispose } = await start();
    return { checkpoints: (await open()).checkpoints, close: dispose };
  });
}
sayIfNoEventStoreDb('Checkpoints');
