/**
 * The one client that all calls share. A client that does not answer is replaced, and what uses it moves to the next;
 * the calls it still has come to their own ends.
 */
import { type BaseOptions, EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Address } from './address.ts';
import { type AppendAnswer, AppendPipe, type AppendRequest } from './append-pipe.ts';
import { abandon, openBatchAppend } from './client-internals.ts';
import { within } from './deadline.ts';
import { type CallFailure, failureOf } from './failures.ts';

/** Where nothing answers, the next client is tried no sooner than this after the last. */
const MIN_LIFE_MS = 250;
/** Appends under way; more are refused, rather than kept in memory for a server that does not follow. */
const MAX_APPENDS = 10_000;
const MAX_APPEND_BYTES_UNDER_WAY = 64_000_000;

/** A client, and whether it was replaced. */
export interface Line {
  readonly client: EventStoreDBClient;
  readonly isRetired: () => boolean;
  /** Calls `wake` when the client is replaced or closed; gives the way to be called no more. */
  readonly onRetired: (wake: () => void) => () => void;
}

interface Generation {
  readonly client: EventStoreDBClient;
  readonly bornAtMs: number;
  readonly retired: AbortController;
  /** The way that appends take: once it is open, and while it is being opened. */
  pipe: AppendPipe | undefined;
  opening: Promise<AppendPipe> | undefined;
}

/** No two connections of a process have the same number. */
let connections = 0;

export class Connection {
  readonly deadlineMs: number;
  /** For each call. Only the leader knows what was appended a moment ago. */
  readonly options: BaseOptions;
  readonly #address: Address;
  readonly #retired = new Set<Generation>();
  readonly #appends = new Set<Promise<AppendAnswer>>();
  #appendBytes = 0;
  #current: Generation;
  #isClosed = false;

  /** @param deadlineMs for each call */
  constructor(address: Address, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    const { credentials } = address;
    this.options = { requiresLeader: true, deadline: deadlineMs, ...(credentials && { credentials }) };
    this.#address = address;
    this.#current = this.#open();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** One call under the deadline. @throws {CallFailure} @throws {StoreUnavailable} it is closed */
  async call<T>(
    work: (client: EventStoreDBClient, signal: AbortSignal) => Promise<T>,
    deadlineMs = this.deadlineMs,
  ): Promise<T> {
    this.#assertOpen();
    const generation = this.#current;
    try {
      return await within(deadlineMs, (signal) => work(generation.client, signal));
    } catch (error) {
      throw this.#suspect(generation, failureOf(error));
    }
  }

  /** @throws {CallFailure} @throws {StoreUnavailable} it is closed, or too much is under way */
  append(request: AppendRequest): Promise<AppendAnswer> {
    this.#assertOpen();
    if (this.#appends.size >= MAX_APPENDS || this.#appendBytes >= MAX_APPEND_BYTES_UNDER_WAY)
      throw new StoreUnavailable('too many writes wait for EventStoreDB');
    const bytes = request.messages.reduce(
      (sum, { data, metadata }) => sum + data.length + metadata.length,
      0,
    );
    this.#appendBytes += bytes;
    const appending = this.#append(this.#current, request).finally(() => {
      this.#appendBytes -= bytes;
      this.#appends.delete(appending);
    });
    this.#appends.add(appending);
    return appending;
  }

  /** The client for a subscription. */
  line(): Line {
    const { client, retired } = this.#current;
    return {
      client,
      isRetired: () => retired.signal.aborted,
      onRetired(wake) {
        retired.signal.addEventListener('abort', wake);
        return () => retired.signal.removeEventListener('abort', wake);
      },
    };
  }

  /** To be told of a failure of a subscription on this line. */
  suspect({ client }: Line, failure: CallFailure): void {
    if (client === this.#current.client) this.#suspect(this.#current, failure);
  }

  /** Waits for the appends under way, each within its deadline, and leaves nothing open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#appends);
    this.#current.retired.abort();
    for (const generation of [...this.#retired, this.#current]) abandon(generation.client);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('the log is closed');
  }

  async #append(generation: Generation, request: AppendRequest): Promise<AppendAnswer> {
    const startMs = performance.now();
    try {
      const pipe = generation.pipe ?? (await within(this.deadlineMs, () => this.#openPipe(generation)));
      return await pipe.append(request, this.deadlineMs - (performance.now() - startMs));
    } catch (error) {
      throw this.#suspect(generation, failureOf(error));
    }
  }

  #openPipe(generation: Generation): Promise<AppendPipe> {
    const forget = (): void => {
      generation.pipe = undefined;
      generation.opening = undefined;
    };
    const open = async (): Promise<AppendPipe> => {
      const stream = await openBatchAppend(generation.client, this.options);
      generation.pipe = new AppendPipe(stream, forget);
      return generation.pipe;
    };
    generation.opening ??= open();
    generation.opening.catch(forget);
    return generation.opening;
  }

  /** Replaces a client whose failure may be its own. */
  #suspect(generation: Generation, failure: CallFailure): CallFailure {
    const isOld = performance.now() - generation.bornAtMs >= MIN_LIFE_MS;
    const isLost = failure.reason === 'silent' || (failure.reason === 'unreachable' && isOld);
    if (isLost && generation === this.#current && !this.#isClosed) this.#replace(generation);
    return failure;
  }

  #replace(generation: Generation): void {
    this.#current = this.#open();
    generation.retired.abort();
    this.#retired.add(generation);
    const end = (): void => {
      this.#retired.delete(generation);
      abandon(generation.client);
    };
    // By then each of its calls has had its answer or its deadline.
    setTimeout(end, 2 * this.deadlineMs).unref();
  }

  #open(): Generation {
    connections += 1;
    const client = EventStoreDBClient.connectionString(this.#address.connectionString(connections));
    return {
      client,
      bornAtMs: performance.now(),
      retired: new AbortController(),
      pipe: undefined,
      opening: undefined,
    };
  }
}
