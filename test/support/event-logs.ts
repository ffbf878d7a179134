/** Every engine of the log, for tests that hold whatever the log is kept in. */
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { eventStoreDbKinds } from './eventstoredb-logs.ts';
import { tempFolder } from './temp-folder.ts';

export interface EventLogKind {
  readonly name: string;
  /** An empty log. */
  readonly start: () => Promise<{ readonly store: EventStore; readonly dispose: () => Promise<void> }>;
}

export const eventLogs: readonly EventLogKind[] = [
  { name: 'memory', start: async () => ({ store: memoryEventStore(), dispose: async () => {} }) },
  { name: 'SQLite', start: startSqlite },
  // Later generations of the server differ in what its followers see, which is not what dies here.
  ...eventStoreDbKinds
    .filter(({ name }) => !name.startsWith('KurrentDB'))
    .map(({ name, start }) => ({
      name,
      async start() {
        const place = await start();
        return { store: (await place.open()).store, dispose: place.dispose };
      },
    })),
];

async function startSqlite() {
  const folder = await tempFolder();
  const { store, close } = await openSqliteLog({ path: folder.file('log.db') });
  const dispose = async (): Promise<void> => {
    await close();
    await folder.remove();
  };
  return { store, dispose };
}
