/** What every Blobs promises. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Blobs } from '../../src/ports/blobs.ts';

export function blobsContract(
  name: string,
  open: () => Promise<{
    readonly blobs: Blobs;
    /** What is kept, besides blobs that were stored. */
    readonly leftovers: () => Promise<readonly string[]>;
    readonly close: () => Promise<void>;
  }>,
): void {
  describe(`Blobs: ${name}`, () => {
    let blobs: Blobs;
    let leftovers: () => Promise<readonly string[]>;
    let close: () => Promise<void>;

    before(async () => ({ blobs, leftovers, close } = await open()));
    after(() => close());

    const newKey = (): string => `art_${randomUUID().replaceAll('-', '')}`;
    const limits = { maxBytes: 1_000_000, sha256: null };

    it('stores a stream and tells its size, hash and beginning', async () => {
      const [key, bytes] = [newKey(), randomBytes(200_000)];
      const result = await blobs.put(key, inChunks(bytes, 7_001), limits);
      if (result.kind !== 'stored') throw new Error(result.kind);
      expect(result.blob.sizeBytes).to.equal(bytes.length);
      expect(result.blob.sha256).to.equal(sha256(bytes));
      expect(Buffer.from(result.blob.head).equals(bytes.subarray(0, 512))).to.equal(true);
      expect((await read(blobs, key, 0, bytes.length - 1))?.equals(bytes)).to.equal(true);
    });

    it('gives any part of it, both ends inclusive', async () => {
      const key = newKey();
      await blobs.put(key, inChunks(Buffer.from('0123456789'), 3), limits);
      expect(String(await read(blobs, key, 2, 4))).to.equal('234');
      expect(String(await read(blobs, key, 9, 9))).to.equal('9');
    });

    it('stores an empty one', async () => {
      const key = newKey();
      const result = await blobs.put(key, inChunks(Buffer.alloc(0), 1), limits);
      expect(result).to.have.nested.property('blob.sizeBytes', 0);
    });

    it('leaves nothing of what is too large, or not what was announced', async () => {
      const [large, other] = [newKey(), newKey()];
      const ten = Buffer.from('0123456789');
      expect(await blobs.put(large, inChunks(ten, 4), { ...limits, maxBytes: 9 })).to.deep.equal({
        kind: 'too_large',
      });
      expect((await blobs.put(large, inChunks(ten, 4), { ...limits, maxBytes: 10 })).kind).to.equal('stored');
      const wrong = { ...limits, sha256: sha256(Buffer.from('else')) };
      expect(await blobs.put(other, inChunks(ten, 4), wrong)).to.deep.equal({
        kind: 'other_bytes',
        sha256: sha256(ten),
      });
      expect(await blobs.open(other, 0, 0)).to.equal(null);
      expect(await leftovers()).to.deep.equal([]);
    });

    it('leaves nothing when the sender goes away', async () => {
      const key = newKey();
      async function* broken(): AsyncIterable<Uint8Array> {
        yield randomBytes(1_000);
        throw new Error('the sender went away');
      }
      const error = await blobs.put(key, broken(), limits).catch((reason: unknown) => reason);
      expect(error).to.have.property('message', 'the sender went away');
      expect(await blobs.open(key, 0, 0)).to.equal(null);
      expect(await leftovers()).to.deep.equal([]);
    });

    it('never replaces what is stored', async () => {
      const key = newKey();
      await blobs.put(key, inChunks(Buffer.from('first'), 9), limits);
      const error = await blobs
        .put(key, inChunks(Buffer.from('other'), 9), limits)
        .catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error);
      expect(String(await read(blobs, key, 0, 4))).to.equal('first');
    });

    it('removes, and knows nothing of what is removed', async () => {
      const key = newKey();
      await blobs.put(key, inChunks(Buffer.from('x'), 1), limits);
      await blobs.remove(key);
      await blobs.remove(key);
      expect(await blobs.open(key, 0, 0)).to.equal(null);
    });
  });
}

async function read(blobs: Blobs, key: string, first: number, last: number): Promise<Buffer | null> {
  const bytes = await blobs.open(key, first, last);
  if (bytes === null) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inChunks(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
