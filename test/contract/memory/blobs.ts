/** The Blobs port in this process's memory. */
import { createHash } from 'node:crypto';
import { type Blobs, HEAD_BYTES } from '../../../src/ports/blobs.ts';

export function createMemoryBlobs(): Blobs {
  const blobs = new Map<string, Buffer>();
  return {
    async put(key, bytes, { maxBytes, sha256: announced }) {
      if (blobs.has(key)) throw new Error(`${key} is there already`);
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of bytes) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) return { kind: 'too_large' };
        chunks.push(chunk);
      }
      const whole = Buffer.concat(chunks);
      const sha256 = createHash('sha256').update(whole).digest('hex');
      if (announced !== null && announced !== sha256) return { kind: 'other_bytes', sha256 };
      blobs.set(key, whole);
      return { kind: 'stored', blob: { sizeBytes, sha256, head: whole.subarray(0, HEAD_BYTES) } };
    },
    async open(key, first, last) {
      const whole = blobs.get(key);
      return whole === undefined ? null : oneChunk(whole.subarray(first, last + 1));
    },
    async remove(key) {
      blobs.delete(key);
    },
  };
}

async function* oneChunk(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}
