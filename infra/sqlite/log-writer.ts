/**
 * The event loop's side of the writer. A sync takes place in a worker; what arrives meanwhile goes out as the next
 * group. A request is settled only by the answer to its group, which the worker gives after COMMIT.
 */
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import type { GroupAnswer, WriteOutcome, WriteRequest, WriterSettings } from './log-messages.ts';
import { type PendingWrite, WriteQueue } from './write-queue.ts';
import { WriterThread, type WriterThreadOptions } from './writer-thread.ts';

export interface LogWriterOptions extends WriterSettings, Omit<WriterThreadOptions, 'answerTimeoutMs'> {
  /** Called after each commit, before its callers hear of it. */
  readonly onCommit: () => void;
}

/** What was committed so lately shows that more can be: nobody need try. */
const FRESH_MS = 1_000;

export class LogWriter {
  readonly #queue = new WriteQueue();
  readonly #thread: WriterThread;
  readonly #onCommit: () => void;
  #draining: Promise<void> | undefined;
  #isClosing = false;
  #inFlight = 0;
  #groups = 0;
  #appends = 0;
  #committedAtMs = Number.NEGATIVE_INFINITY;
  /** Why the log is not where it was opened; the worker refuses every write meanwhile. */
  #displaced: string | null = null;
  #probe: Promise<WriteOutcome> | undefined;

  constructor({ path, files, maintain, onCommit, startWorker, onDisplaced, onWitness }: LogWriterOptions) {
    const options = {
      startWorker,
      onWitness,
      onDisplaced: (message: string | null) => {
        this.#displaced = message;
        onDisplaced?.(message);
      },
    };
    this.#thread = new WriterThread({ path, files, maintain }, options);
    this.#onCommit = onCommit;
    // Where other files are maintained there is work before the first append.
    if (maintain.length > 0) this.#thread.start();
  }

  /**
   * @param chars roughly how much text the request carries
   * @param onOutcome called right after the commit, before any follower of the log is woken
   * @throws {StoreUnavailable} nothing was written
   * @throws {OutcomeUnknown} the worker or the disk failed after the request was handed over
   */
  write(
    request: WriteRequest,
    chars: number,
    onOutcome?: (outcome: WriteOutcome) => void,
  ): Promise<WriteOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#isClosing) return reject(new StoreUnavailable('the log is closed'));
      if (this.#queue.isFull) return reject(new StoreUnavailable('too many writes are waiting for the log'));
      this.#queue.push({ request, chars, onOutcome, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /**
   * Resolves if something can be written now, or was a moment ago.
   * @throws {StoreUnavailable | OutcomeUnknown} which says why not
   */
  async checkWritable(): Promise<void> {
    if (this.#displaced === null && performance.now() - this.#committedAtMs < FRESH_MS) return;
    this.#probe ??= this.write(['probe'], 0).finally(() => (this.#probe = undefined));
    await this.#probe;
  }

  /** Committed since the start; `queueDepth` is what waits or is being committed now. */
  stats(): { groups: number; appends: number; queueDepth: number; checkpointFailures: number } {
    return {
      groups: this.#groups,
      appends: this.#appends,
      queueDepth: this.#queue.length + this.#inFlight,
      checkpointFailures: this.#thread.checkpointFailures,
    };
  }

  /** Writes what is waiting, then lets the worker go. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#draining;
    await this.#thread.close();
  }

  async #drain(): Promise<void> {
    // What the same turn of the event loop brings goes out together.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const group = this.#queue.takeGroup();
      this.#inFlight = group.length;
      const answer = await this.#thread.commit(group.map((write) => write.request));
      this.#inFlight = 0;
      this.#settle(group, answer);
    }
    this.#draining = undefined;
  }

  #settle(group: readonly PendingWrite[], answer: GroupAnswer): void {
    if (answer.kind !== 'committed') {
      const Failure = answer.kind === 'refused' ? StoreUnavailable : OutcomeUnknown;
      for (const write of group) write.reject(new Failure(answer.message));
      return;
    }
    this.#groups += 1;
    this.#committedAtMs = performance.now();
    group.forEach((write, i) => {
      const outcome = answer.outcomes[i];
      if (outcome !== undefined) write.onOutcome?.(outcome);
    });
    this.#onCommit();
    group.forEach((write, i) => {
      const outcome = answer.outcomes[i];
      if (outcome === undefined)
        return write.reject(new OutcomeUnknown('the writer of the log gave no outcome'));
      if (outcome[0] === 'appended') this.#appends += 1;
      write.resolve(outcome);
    });
  }
}
