import { readdir, rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createFolderBlobs } from '../../infra/folder/blobs.ts';
import { createMemoryBlobs } from '../../infra/memory/blobs.ts';
import { createS3Blobs } from '../../infra/s3/blobs.ts';
import { BlobsUnavailable } from '../../src/ports/blobs.ts';
import { rejectionOf } from '../support/rejection.ts';
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

describe('Blobs: a folder that cannot be used', () => {
  it('is away, and takes files again once it can be, and where it was removed meanwhile', async () => {
    const folder = await tempFolder();
    const path = folder.file('artifacts');
    const blobs = createFolderBlobs(path);
    const put = (key: string) =>
      blobs.put(key, Readable.from([Buffer.from('x')]), { maxBytes: 9, sha256: null });
    await writeFile(path, 'in its place');
    for (const key of ['art_first', 'art_second'])
      expect(await rejectionOf(put(key))).to.be.instanceOf(BlobsUnavailable);
    await rm(path);
    expect((await put('art_third')).kind).to.equal('stored');
    await rm(path, { recursive: true });
    expect((await put('art_fourth')).kind).to.equal('stored');
    await folder.remove();
  });
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
