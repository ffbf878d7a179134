import { memoryEventStore } from './memory/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { eventStoreDbKinds, sayIfNoEventStoreDb } from '../support/eventstoredb-logs.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { eventStoreContract } from './event-store.contract.ts';

eventStoreContract('memory', { commitsDependents: true }, async () => ({
  connect: async () => memoryEventStore(),
  dispose: async () => {},
}));

eventStoreContract('SQLite', { commitsDependents: true }, async () => {
  const folder = await tempFolder();
  return {
    connect: async () => (await openSqliteLog({ path: folder.file('log.db') })).store,
    dispose: () => folder.remove(),
  };
});

for (const { name, start } of eventStoreDbKinds) {
  eventStoreContract(name, { commitsDependents: false }, async () => {
    const { open, dispose } = await start();
    return { connect: async () => (await open()).store, dispose };
  });
}
sayIfNoEventStoreDb('EventStore');
