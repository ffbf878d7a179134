/**
 * A stream of the client's to take from without waiting, and to wait for no longer than one wishes. The server is held
 * back while nobody takes, and told when nobody will any more: the client itself would keep the call open.
 */
import type { Readable } from 'node:stream';
import { type CallFailure, failureOfStream } from './failures.ts';

export class PulledStream<Item> {
  readonly #stream: Readable;
  readonly #cancel: () => void;
  #isAtEnd = false;
  #failure: CallFailure | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: Readable, cancel: () => void) {
    this.#stream = stream;
    this.#cancel = cancel;
    stream.on('readable', () => this.wake());
    stream.on('end', () => {
      this.#isAtEnd = true;
      this.wake();
    });
    // It stays: an error without a listener ends the process, and one may come after the stream was left.
    stream.on('error', (error) => this.fail(failureOfStream(error)));
  }

  /** Whether its source has ended it in peace, and everything is taken: what was cut off has failed. */
  get isAtEnd(): boolean {
    return this.#isAtEnd && this.#failure === undefined;
  }

  /** What ended it; there may be something to take still. */
  get failure(): CallFailure | undefined {
    return this.#failure;
  }

  /** The next item, or null when there is none for now. */
  take(): Item | null {
    // The client's streams are typed by their listeners alone.
    return this.#stream.read() as Item | null;
  }

  /** Puts an item of ours behind what is there. */
  put(item: Item): void {
    this.#stream.push(item);
  }

  /** Resolves with true when something may have changed, with false after the time. */
  async news(ms: number): Promise<boolean> {
    if (this.#failure !== undefined || this.#isAtEnd || this.#stream.readableLength > 0) return true;
    const isNews = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    this.#wake = undefined;
    return isNews;
  }

  /** Ends the waiting for news. */
  wake(): void {
    this.#wake?.();
  }

  /** Ends it for a reason that its server does not know. */
  fail(failure: CallFailure): void {
    this.#failure ??= failure;
    this.wake();
  }

  close(): void {
    if (!this.#isAtEnd) this.#cancel();
    this.#stream.destroy();
  }
}
