/**
 * Appends over one stream of requests and answers, which costs a third of a call for each. The client has the same; but
 * there an answer that comes late or twice ends the process, no deadline is kept, and the failure of one connection
 * fails the appends of all others. Here each append waits for its own answer and no longer than its deadline.
 */
import { randomUUID } from 'node:crypto';
import type { AppendAnswer, AppendRequest, NumberedAnswer, NumberedAppend } from './append-messages.ts';
import type { BatchAppendStream } from './client-internals.ts';
import { CallFailure, failureOfStream } from './failures.ts';

interface Waiting {
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (failure: CallFailure) => void;
  readonly timer: NodeJS.Timeout;
}

export class AppendPipe {
  readonly #stream: BatchAppendStream;
  readonly #onBroken: () => void;
  readonly #waiting = new Map<string, Waiting>();
  #isBroken = false;
  #isRetired = false;

  /** @param onBroken called when it can take appends no more */
  constructor(stream: BatchAppendStream, onBroken: () => void) {
    this.#stream = stream;
    this.#onBroken = onBroken;
    stream.on('data', (response: NumberedAnswer) => this.#settle(response));
    stream.on('error', (error: Error) => this.#break(failureOfStream(error)));
    stream.on('end', () => this.#break(new CallFailure('broken', 'the server ended the stream of appends')));
  }

  /** @throws {CallFailure} */
  append(request: AppendRequest, deadlineMs: number): Promise<AppendAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#isBroken) return reject(new CallFailure('not-ready', 'the connection is gone'));
      const id = randomUUID();
      const giveUp = (): void => {
        this.#waiting.delete(id);
        this.#endIfRetired();
        reject(new CallFailure('unanswered', `no answer to an append within ${Math.round(deadlineMs)} ms`));
      };
      this.#waiting.set(id, { resolve, reject, timer: setTimeout(giveUp, deadlineMs) });
      this.#stream.write({ id, request } satisfies NumberedAppend);
    });
  }

  /** An answer that nobody waits for is late, or the second to one append: whoever asked has repeated it since. */
  #settle({ id, answer }: NumberedAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (answer instanceof CallFailure) waiting.reject(answer);
    else waiting.resolve(answer);
    this.#endIfRetired();
  }

  /** Takes no more appends, and ends once those under way are answered or given up. */
  retire(): void {
    this.#isRetired = true;
    this.#endIfRetired();
  }

  #endIfRetired(): void {
    if (this.#isRetired && !this.#isBroken && this.#waiting.size === 0) this.#stream.end();
  }

  #break(failure: CallFailure): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#onBroken();
    const told = afterSending(failure, this.#waiting.size);
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(told);
    }
    this.#waiting.clear();
  }
}

/**
 * A leader that steps down says so of the whole pipe, and a server that puts aside one append ends the pipe for all:
 * the others, or what was sent before, may have happened all the same.
 */
function afterSending(failure: CallFailure, waiting: number): CallFailure {
  const isOfOthers = failure.reason === 'not-leader' || (failure.reason === 'not-ready' && waiting > 1);
  if (!isOfOthers) return failure;
  return new CallFailure('broken', failure.message, { cause: failure });
}
