/** The view stores that projector tests run on, and what each test has of its own on one of them. */
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import type { Projector } from '../../src/projecting/projector.ts';
import type { ProjectorParts } from '../../src/projecting/projector-parts.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type BoxEvent, projectorOn, type Running } from './projector.fixture.ts';

export interface ViewEngine {
  /** Another connection to the views, as another process would have it. */
  readonly connect: () => ViewStore;
  readonly dispose: () => Promise<void>;
}

export const viewEngines: Readonly<Record<string, () => Promise<ViewEngine>>> = {
  async memory() {
    const store = memoryViewStore();
    return { connect: () => store, dispose: async () => {} };
  },
  async SQLite() {
    const folder = await tempFolder();
    const stores: ViewStore[] = [];
    return {
      connect() {
        const store = openSqliteViewStore(folder.file('views.db'));
        stores.push(store);
        return store;
      },
      async dispose() {
        for (const store of stores) await store.close();
        await folder.remove();
      },
    };
  },
};

export interface World {
  /** The log, empty at first. */
  readonly store: EventStore;
  /** One connection to the views, which are not opened yet. */
  readonly views: ViewStore;
  readonly connect: ViewEngine['connect'];
  /** A projector of this log and these views, unless `parts` has others; `close` stops it. */
  readonly run: (parts?: Partial<ProjectorParts<BoxEvent>>) => Running;
  readonly close: () => Promise<void>;
}

export async function openWorld(start: () => Promise<ViewEngine>): Promise<World> {
  const { connect, dispose } = await start();
  const store = memoryEventStore();
  const views = connect();
  const started: Projector[] = [];
  return {
    store,
    views,
    connect,
    run(parts) {
      const running = projectorOn(store, views, parts);
      started.push(running.projector);
      return running;
    },
    async close() {
      for (const projector of started) await projector.stop();
      await dispose();
    },
  };
}
