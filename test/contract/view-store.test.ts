import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryViewStore } from './memory/view-store.ts';
import { openMongoViewStore } from '../../infra/mongodb/view-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import { newMongoDatabase, withMongo } from '../support/mongodb-server.ts';
import { viewStoreContract } from './view-store.contract.ts';

viewStoreContract('memory', async () => {
  const store = memoryViewStore();
  return { connect: async () => store, dispose: async () => {} };
});

viewStoreContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-views-'));
  return {
    connect: async () => openSqliteViewStore(join(folder, 'views.db')),
    dispose: () => rm(folder, { recursive: true }),
  };
});

withMongo('ViewStore: MongoDB', () =>
  viewStoreContract(
    'MongoDB',
    async () => {
      const { url, close } = await newMongoDatabase();
      return { connect: () => openMongoViewStore({ url }), dispose: close };
    },
    12,
  ),
);
