import { readdir, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createFolderBlobs } from '../../infra/folder/blobs.ts';
import { createMemoryBlobs } from './memory/blobs.ts';
import { createS3Blobs } from '../../infra/s3/blobs.ts';
import { checkBytes } from '../../infra/s3/checked-bytes.ts';
import { BlobsUnavailable } from '../../src/ports/blobs.ts';
import { cuttableLine } from '../support/cuttable-line.ts';
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

describe('Blobs: bytes on their way into a bucket', () => {
  const limits = { maxBytes: 9, sha256: null };
  it('tell who broke off: the upload, which is no fault of the sender, or the sender', async () => {
    const given = Readable.from([Buffer.from('a'), Buffer.from('b')]);
    const upload = checkBytes(given, limits);
    const taking = upload.bytes[Symbol.asyncIterator]();
    await taking.next();
    expect(await rejectionOf(taking.throw?.(new Error('given up')) ?? Promise.resolve())).to.be.an('error');
    expect(upload.fate()).to.deep.equal({ kind: 'passing' });

    const gone = new Error('the sender went away');
    async function* broken(): AsyncIterable<Uint8Array> {
      yield Buffer.from('a');
      throw gone;
    }
    const sent = checkBytes(broken(), limits);
    const took = (async () => {
      for await (const _ of sent.bytes);
    })();
    expect(await rejectionOf(took)).to.equal(gone);
    expect(sent.fate()).to.deep.equal({ kind: 'broken', error: gone });
  });
});

withS3('Blobs: a bucket that goes away', () =>
  it('is away, also to uploads that have begun, and takes files again once it is back', async () => {
    const server = await startS3();
    const { hostname, port } = new URL(server.options.endpoint ?? '');
    const line = await cuttableLine(hostname, Number(port));
    const blobs = createS3Blobs({ ...server.options, endpoint: `http://127.0.0.1:${line.port}` });
    const limits = { maxBytes: 50_000_000, sha256: null };
    const put = (key: string, bytes: AsyncIterable<Uint8Array>) => blobs.put(key, bytes, limits);
    /** As a client sends: the next bytes come in a turn of their own. */
    async function* cutAt(megabyte: number): AsyncIterable<Uint8Array> {
      for (let n = 0; n < 300; n += 1) {
        if (n === megabyte * 10) line.cut();
        yield randomBytes(100_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    expect((await put('art_first', Readable.from([Buffer.from('x')]))).kind).to.equal('stored');
    expect(await rejectionOf(put('art_second', cutAt(8)))).to.be.instanceOf(BlobsUnavailable);
    expect(await rejectionOf(put('art_third', cutAt(0)))).to.be.instanceOf(BlobsUnavailable);
    expect(await rejectionOf(blobs.open('art_first', 0, 0))).to.be.instanceOf(BlobsUnavailable);
    line.mend();
    expect((await put('art_fourth', Readable.from([randomBytes(9_000_000)]))).kind).to.equal('stored');
    await line.close();
    await server.close();
  }),
);

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
