/**
 * Wakes the live readers of the log: at once after a commit of this process, and within a poll after one of another.
 * Readers ask the log itself whether there is more, so a wake-up too many does no harm and none can be missed.
 */
const POLL_EVERY_MS = 100;

export class CommitWatch {
  readonly #head: () => number;
  readonly #waiting = new Set<Waiter>();
  #poll: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param head where the log ends now */
  constructor(head: () => number) {
    this.#head = head;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves once the log may reach beyond `row`, the signal is aborted or the log closed. */
  async beyond(row: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const waiter: Waiter = {
        row,
        wake: () => {
          signal.removeEventListener('abort', waiter.wake);
          this.#waiting.delete(waiter);
          if (this.#waiting.size === 0) this.#stopPolling();
          resolve();
        },
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', waiter.wake);
      // A reader alone does not keep the process alive.
      this.#poll ??= setInterval(() => this.#wakeIfMoved(), POLL_EVERY_MS).unref();
    });
  }

  wakeAll(): void {
    for (const waiter of this.#waiting) waiter.wake();
  }

  close(): void {
    this.#isClosed = true;
    this.wakeAll();
  }

  #wakeIfMoved(): void {
    const head = this.#headOrEnd();
    for (const waiter of this.#waiting) if (waiter.row < head) waiter.wake();
  }

  /** A log that cannot be read wakes everybody: each reader meets the error in its own call. */
  #headOrEnd(): number {
    try {
      return this.#head();
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}

interface Waiter {
  readonly row: number;
  readonly wake: () => void;
}
