/** The view stores that projector tests run on. Each `connect` is as of another process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryViewStore } from '../../infra/memory/view-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';

export interface ViewEngine {
  readonly connect: () => ViewStore;
  readonly dispose: () => Promise<void>;
}

export const viewEngines: Readonly<Record<string, () => Promise<ViewEngine>>> = {
  async memory() {
    const store = memoryViewStore();
    return { connect: () => store, dispose: async () => {} };
  },
  async SQLite() {
    const folder = await mkdtemp(join(tmpdir(), 'bourse-projector-'));
    const stores: ViewStore[] = [];
    return {
      connect() {
        const store = openSqliteViewStore(join(folder, 'views.db'));
        stores.push(store);
        return store;
      },
      async dispose() {
        for (const store of stores) await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};
