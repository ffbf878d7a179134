import { readdir } from 'node:fs/promises';
import { createFolderBlobs } from '../../infra/folder/blobs.ts';
import { createMemoryBlobs } from '../../infra/memory/blobs.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { blobsContract } from './blobs.contract.ts';

blobsContract('memory', async () => ({
  blobs: createMemoryBlobs(),
  leftovers: async () => [],
  close: async () => {},
}));

blobsContract('folder', async () => {
  const folder = await tempFolder();
  return {
    blobs: createFolderBlobs(folder.file('artifacts')),
    leftovers: () => readdir(folder.file('artifacts/drafts')),
    close: folder.remove,
  };
});
