/** The port to files of one process that nobody else sees, and that are gone with it, however it ends. */

export interface ScratchFile {
  /** Adds to its end. @throws {ScratchUnavailable} */
  append(bytes: Uint8Array): Promise<void>;
  /** The bytes from `first` to `last`, both inclusive. */
  read(first: number, last: number): AsyncIterable<Uint8Array>;
  /** Gives its room back, once whoever reads it has ended. */
  close(): Promise<void>;
}

export interface Scratch {
  /** An empty one. @throws {ScratchUnavailable} */
  create(): Promise<ScratchFile>;
}

/** Files cannot be made or written: no room, no right. It may be tried again later. */
export class ScratchUnavailable extends Error {
  override readonly name = 'ScratchUnavailable';
}
