/** The requests that wait for the writer: bounded, and taken out in groups. */
import type { WriteOutcome, WriteRequest } from './log-messages.ts';

export interface PendingWrite {
  readonly request: WriteRequest;
  /** Roughly how much text the request carries. */
  readonly chars: number;
  readonly onOutcome: ((outcome: WriteOutcome) => void) | undefined;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: Error) => void;
}

const MAX_QUEUED_REQUESTS = 10_000;
const MAX_QUEUED_CHARS = 64_000_000;
export const MAX_GROUP_REQUESTS = 512;
/** A group takes at least one request, however large, and no further one beyond this. */
export const MAX_GROUP_CHARS = 1_000_000;

export class WriteQueue {
  #waiting: PendingWrite[] = [];
  #chars = 0;

  get length(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_QUEUED_REQUESTS || this.#chars >= MAX_QUEUED_CHARS;
  }

  push(write: PendingWrite): void {
    this.#waiting.push(write);
    this.#chars += write.chars;
  }

  takeGroup(): readonly PendingWrite[] {
    const limit = Math.min(this.#waiting.length, MAX_GROUP_REQUESTS);
    let taken = 0;
    let chars = 0;
    while (taken < limit && chars < MAX_GROUP_CHARS) {
      chars += this.#waiting[taken]?.chars ?? 0;
      taken += 1;
    }
    this.#chars -= chars;
    return this.#waiting.splice(0, taken);
  }
}
