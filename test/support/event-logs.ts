/** Places for a log in each of its engines, for tests that hold whatever the log is kept in. */
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../infra/sqlite/event-store.ts';
import { eventStoreDbKinds } from './eventstoredb-logs.ts';
import { tempFolder } from './temp-folder.ts';

export interface LogPlace {
  /** Another connection to the same log, which is empty at first, as another process would have it. */
  readonly connect: () => Promise<EventStore>;
  /** Closes every connection and removes the log. */
  readonly dispose: () => Promise<void>;
}

/** The engines within the process. */
export const embeddedLogs: Readonly<Record<'memory' | 'SQLite', () => Promise<LogPlace>>> = {
  memory: async () => {
    const store = memoryEventStore();
    return { connect: async () => store, dispose: () => store.close() };
  },
  SQLite: async () => {
    const folder = await tempFolder();
    const opened: SqliteLog[] = [];
    return {
      async connect() {
        const log = await openSqliteLog({ path: folder.file('log.db') });
        opened.push(log);
        return log.store;
      },
      async dispose() {
        for (const { close } of opened) await close();
        await folder.remove();
      },
    };
  },
};

/** Every engine. Later generations of EventStoreDB differ in what followers see, and not for those who append. */
export const eventLogs: Readonly<Record<string, () => Promise<LogPlace>>> = {
  ...embeddedLogs,
  ...Object.fromEntries(
    eventStoreDbKinds
      .filter(({ name }) => !name.startsWith('KurrentDB'))
      .map(({ name, start }) => [
        name,
        async () => {
          const { open, dispose } = await start();
          return { connect: async () => (await open()).store, dispose };
        },
      ]),
  ),
};
