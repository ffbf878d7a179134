/**
 * Bytes that come in pieces. They are kept, and not the pieces: a piece of a single byte takes some 400 of memory. What
 * comes in one piece, as most does, is not copied.
 */
export class GatheredBytes {
  #bytes: Buffer = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    if (this.#length === 0) this.#bytes = asBuffer(piece);
    else {
      this.#makeRoom(this.#length + piece.length);
      this.#bytes.set(piece, this.#length);
    }
    this.#length += piece.length;
  }

  /** All of them, of which nothing is kept here any more. */
  take(): Buffer {
    const all = this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return all;
  }

  /** Twice as much each time, so that however small the pieces are each byte is moved once or twice. */
  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

const NOTHING = Buffer.alloc(0);

/** The same bytes, not copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
