/** The port to files that agencies deliver: written once as a stream, whole or not at all, and read in parts. */

export interface StoredBlob {
  readonly sizeBytes: number;
  /** Of all its bytes, in lower-case hexadecimal. */
  readonly sha256: string;
  /** The first bytes, by which its type is told. */
  readonly head: Uint8Array;
}

export type PutResult =
  | { readonly kind: 'stored'; readonly blob: StoredBlob }
  | { readonly kind: 'too_large' }
  /** The bytes are not those that were announced. */
  | { readonly kind: 'other_bytes'; readonly sha256: string };

export interface PutLimits {
  readonly maxBytes: number;
  /** Store only if this is the SHA-256 of the bytes. */
  readonly sha256: string | null;
}

/** Of which `head` at most so many are kept. */
export const HEAD_BYTES = 512;

export interface Blobs {
  /**
   * Stores the bytes under a key that was never used. Nothing is left of them unless they are stored whole.
   * @throws what the stream throws, when its sender goes away
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, limits: PutLimits): Promise<PutResult>;
  /** The bytes from `first` to `last`, both inclusive; null where there is no such blob. */
  open(key: string, first: number, last: number): Promise<AsyncIterable<Uint8Array> | null>;
  /** A blob that is not there is as good as removed. */
  remove(key: string): Promise<void>;
}

/** Where the files are kept cannot be reached or refuses us. Nothing was done; everything may be tried again later. */
export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable';
}
