import { readdir } from 'node:fs/promises';
import { createFolderBlobs } from '../../infra/folder/blobs.ts';
import { createMemoryBlobs } from '../../infra/memory/blobs.ts';
import { createS3Blobs } from '../../infra/s3/blobs.ts';
import { startS3, withS3 } from '../support/s3-server.ts';
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

withS3('Blobs: S3', () =>
  blobsContract('S3', async () => {
    const server = await startS3();
    return {
      blobs: createS3Blobs(server.options),
      leftovers: async () => (await server.contents()).filter((name) => name.startsWith('upload of ')),
      close: server.close,
    };
  }),
);
