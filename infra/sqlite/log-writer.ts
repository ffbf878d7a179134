/**
 * The event loop's side of the writer. A sync takes place in a worker; what arrives meanwhile goes out as the next
 * group. A request is settled only by the answer to its group, which the worker gives after COMMIT.
 */
import type { Worker } from 'node:worker_threads';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import type { FromWriter, GroupAnswer, WriteOutcome, WriteRequest, WriterSettings } from './log-messages.ts';
import { spawnWorker } from './spawn-worker.ts';
import { WorkerRpc } from './worker-rpc.ts';

const MAX_QUEUED_REQUESTS = 10_000;
const MAX_QUEUED_CHARS = 64_000_000;
export const MAX_GROUP_REQUESTS = 512;
/** A group takes at least one request, however large, and no further one beyond this. */
export const MAX_GROUP_CHARS = 1_000_000;

export type StartWorker = (settings: WriterSettings) => Worker;

export const startLogWriter: StartWorker = (settings) => spawnWorker('./log-writer-worker', settings);

export interface LogWriterOptions extends WriterSettings {
  readonly startWorker?: StartWorker | undefined;
  readonly answerTimeoutMs?: number | undefined;
  /** Called after each commit, before its callers hear of it. */
  readonly onCommit?: () => void;
  /** Told that the files were removed or replaced; or, with null, that they are back in their place. */
  readonly onDisplaced?: ((message: string | null) => void) | undefined;
  /** Told why the file beside the log cannot be written; or, with null, that it can again. */
  readonly onWitness?: ((message: string | null) => void) | undefined;
}

/** What was committed so lately shows that more can be: nobody need try. */
const FRESH_MS = 1_000;

export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #queue = new WriteQueue();
  readonly #worker: WorkerRpc<readonly WriteRequest[], FromWriter, GroupAnswer>;
  #draining: Promise<void> | undefined;
  #isClosing = false;
  #inFlight = 0;
  #groups = 0;
  #appends = 0;
  #checkpointFailures = 0;
  #committedAtMs = Number.NEGATIVE_INFINITY;
  /** Why the log is not where it was opened; the worker refuses every write meanwhile. */
  #displaced: string | null = null;
  #probe: Promise<WriteOutcome> | undefined;

  constructor(options: LogWriterOptions) {
    const { path, files, mainFile, maintain, startWorker = startLogWriter, answerTimeoutMs } = options;
    this.#options = options;
    this.#worker = new WorkerRpc({
      file: 'log',
      start: () => startWorker({ path, files, mainFile, maintain }),
      answerTimeoutMs,
      answerIn: (message: FromWriter) => this.#answerIn(message),
      refused: (message) => ({ kind: 'refused', message }),
      lost: (message) => ({ kind: 'unknown', message }),
    });
    // Where other files are maintained there is work before the first append.
    if (maintain.length > 0) this.#worker.start();
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
      checkpointFailures: this.#checkpointFailures,
    };
  }

  /** Writes what is waiting, then lets the worker go. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#draining;
    await this.#worker.close();
  }

  async #drain(): Promise<void> {
    // What the same turn of the event loop brings goes out together.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const group = this.#queue.takeGroup();
      this.#inFlight = group.length;
      const answer = await this.#worker.ask(group.map((write) => write.request));
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
    this.#options.onCommit?.();
    group.forEach((write, i) => {
      const outcome = answer.outcomes[i];
      if (outcome === undefined)
        return write.reject(new OutcomeUnknown('the writer of the log gave no outcome'));
      if (outcome[0] === 'appended') this.#appends += 1;
      write.resolve(outcome);
    });
  }

  #answerIn(message: FromWriter): GroupAnswer | null {
    switch (message.kind) {
      case 'checkpointFailed':
        this.#checkpointFailures += 1;
        return null;
      case 'displaced':
        this.#displaced = message.message;
        this.#options.onDisplaced?.(message.message);
        return null;
      case 'witness':
        this.#options.onWitness?.(message.message);
        return null;
      default:
        return message;
    }
  }
}

interface PendingWrite {
  readonly request: WriteRequest;
  /** Roughly how much text the request carries. */
  readonly chars: number;
  readonly onOutcome: ((outcome: WriteOutcome) => void) | undefined;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** The requests that wait: bounded, and taken out in groups. */
class WriteQueue {
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
