/** The logs that runners are tested on, each as a place that several connections may be opened to. */
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { tempFolder } from './temp-folder.ts';

export interface LogPlace {
  /** Another connection to the same log, as another process would have it. */
  readonly connect: () => Promise<EventStore>;
  /** Closes every connection and removes the log. */
  readonly dispose: () => Promise<void>;
}

export const logPlaces: Readonly<Record<'memory' | 'SQLite', () => Promise<LogPlace>>> = {
  memory: async () => {
    const store = memoryEventStore();
    return { connect: async () => store, dispose: () => store.close() };
  },
  SQLite: async () => {
    const folder = await tempFolder();
    const opened: EventStore[] = [];
    return {
      async connect() {
        const { store } = await openSqliteLog({ path: folder.file('log.db') });
        opened.push(store);
        return store;
      },
      async dispose() {
        for (const store of opened) await store.close();
        await folder.remove();
      },
    };
  },
};
