/**
 * A read or a subscription to take answers from without waiting, and to wait for no longer than one wishes. The server is
 * held back while nobody takes, and told when nobody will any more.
 */
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { cancelSoon, openRead, type ReadCall } from './client-internals.ts';
import type { ClientLine } from './client-line.ts';
import type { Connection } from './connection.ts';
import { CallFailure, failureOfStream } from './failures.ts';
import type { ReadAnswer } from './server-record.ts';

/** The server is held back when so much is not taken. */
const MAX_WAITING_ANSWERS = 128;

/** On the line that there is. @throws {CallFailure} @throws {StoreUnavailable} the log is closed */
export async function pullRead(
  connection: Connection,
  request: streamsPb.ReadReq,
  untilMs = Infinity,
): Promise<PulledRead> {
  const line = connection.line();
  const call = await connection.call(
    async (client, signal) => {
      const opened = await openRead(client, request, connection.options);
      if (signal.aborted) cancelSoon(opened);
      return opened;
    },
    { untilMs },
  );
  return new PulledRead(call, line);
}

export class PulledRead {
  /** Which way it goes. */
  readonly line: ClientLine;
  readonly #call: ReadCall;
  readonly #stopListening: () => void;
  #answers: ReadAnswer[] = [];
  /** How many of them are taken. */
  #taken = 0;
  #hasEnded = false;
  #failure: CallFailure | undefined;
  #wake: (() => void) | undefined;

  constructor(call: ReadCall, line: ClientLine) {
    this.#call = call;
    this.line = line;
    call.on('data', (answer: ReadAnswer) => this.#add(answer));
    call.on('end', () => {
      this.#hasEnded = true;
      this.wake();
    });
    // It stays: an error without a listener ends the process, and one may come after the call was left.
    call.on('error', (error) => this.#fail(failureOfStream(error)));
    this.#stopListening = line.onRetired(() =>
      this.#fail(new CallFailure('broken', 'the connection was replaced')),
    );
  }

  /** Whether the server has ended it in peace, and everything is taken: what was cut off has failed. */
  get isAtEnd(): boolean {
    return this.#hasEnded && this.#failure === undefined && this.#taken === this.#answers.length;
  }

  /** What ended it; there may be something to take still. */
  get failure(): CallFailure | undefined {
    return this.#failure;
  }

  /** The next answer, or null when there is none for now. */
  take(): ReadAnswer | null {
    const answer = this.#answers[this.#taken];
    if (answer !== undefined) {
      this.#taken += 1;
      return answer;
    }
    this.#answers = [];
    this.#taken = 0;
    if (this.#call.isPaused()) this.#call.resume();
    return null;
  }

  /** Resolves with true when something may have changed, with false after the time. */
  async news(ms: number): Promise<boolean> {
    const isNews = this.#failure !== undefined || this.#hasEnded || this.#taken < this.#answers.length;
    if (isNews) return true;
    const hasCome = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    this.#wake = undefined;
    return hasCome;
  }

  /** Ends the waiting for news. */
  wake(): void {
    this.#wake?.();
  }

  close(): void {
    this.#stopListening();
    if (!this.#hasEnded) cancelSoon(this.#call);
    this.#call.destroy();
  }

  #add(answer: ReadAnswer): void {
    this.#answers.push(answer);
    if (this.#answers.length - this.#taken >= MAX_WAITING_ANSWERS) this.#call.pause();
    // Not at once: what comes in the same turn of the event loop is taken together.
    if (this.#answers.length - this.#taken === 1) setImmediate(() => this.wake());
  }

  #fail(failure: CallFailure): void {
    this.#failure ??= failure;
    this.wake();
  }
}
