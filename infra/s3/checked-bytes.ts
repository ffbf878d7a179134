/**
 * Bytes on their way into a bucket, counted and hashed as they pass. What must not be stored breaks off before its
 * end: an upload whose stream breaks is never completed, so that no reader can ever meet it.
 */
import { createHash } from 'node:crypto';
import { HEAD_BYTES, type PutLimits, type PutResult, type StoredBlob } from '../../src/ports/blobs.ts';

export type Fate =
  | { readonly kind: 'passing' }
  | { readonly kind: 'whole'; readonly blob: StoredBlob }
  | { readonly kind: 'refused'; readonly result: Exclude<PutResult, { kind: 'stored' }> }
  /** The sender's stream threw. */
  | { readonly kind: 'broken'; readonly error: unknown };

export interface CheckedBytes {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly fate: () => Fate;
}

export function checkBytes(source: AsyncIterable<Uint8Array>, limits: PutLimits): CheckedBytes {
  let fate: Fate = { kind: 'passing' };

  /** Whoever gives up the upload throws too, where the bytes are taken; that is no fault of the sender. */
  async function* sent(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source) yield chunk;
    } catch (error) {
      fate = { kind: 'broken', error };
      throw error;
    }
  }

  async function* pass(): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    const head: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of sent()) {
      if (sizeBytes < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - sizeBytes));
      sizeBytes += chunk.length;
      if (sizeBytes > limits.maxBytes) throw new BreakOff({ kind: 'too_large' });
      hash.update(chunk);
      yield chunk;
    }
    const sha256 = hash.digest('hex');
    if (limits.sha256 !== null && limits.sha256 !== sha256) {
      throw new BreakOff({ kind: 'other_bytes', sha256 });
    }
    fate = { kind: 'whole', blob: { sizeBytes, sha256, head: Buffer.concat(head) } };
  }

  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* pass();
    } catch (error) {
      if (error instanceof BreakOff) fate = { kind: 'refused', result: error.result };
      throw error;
    }
  }

  return { bytes: bytes(), fate: () => fate };
}

class BreakOff extends Error {
  override readonly name = 'BreakOff';
  readonly result: Exclude<PutResult, { kind: 'stored' }>;

  constructor(result: Exclude<PutResult, { kind: 'stored' }>) {
    super(`the upload was broken off: ${result.kind}`);
    this.result = result;
  }
}
