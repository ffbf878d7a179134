/** One client with its one connection and the pipe that appends take: what is replaced together when it fails. */
import { setMaxListeners } from 'node:events';
import type { BaseOptions, EventStoreDBClient } from '@eventstore/db-client';
import type { Address } from './address.ts';
import type { AppendAnswer, AppendRequest } from './append-messages.ts';
import { AppendPipe } from './append-pipe.ts';
import { createClient, type EndableClient, openBatchAppend } from './client-internals.ts';
import { within } from './deadline.ts';
import type { Host } from './reachable.ts';

/** No two connections of a process have the same number. */
let connections = 0;

export class ClientLine {
  readonly #own: EndableClient;
  readonly #options: BaseOptions;
  readonly #retired = new AbortController();
  #pipe: AppendPipe | undefined;
  #opening: Promise<AppendPipe> | undefined;

  /** Connects with the first call. */
  constructor(address: Address, options: BaseOptions, members?: readonly Host[]) {
    connections += 1;
    this.#own = createClient(address.connectionString(connections, members));
    this.#options = options;
    // Each read under way listens until it is closed.
    setMaxListeners(0, this.#retired.signal);
  }

  get client(): EventStoreDBClient {
    return this.#own.client;
  }

  /** @throws what the client throws, or {@link CallFailure} */
  append(request: AppendRequest, deadlineMs: number): Promise<AppendAnswer> {
    return this.#pipe?.append(request, deadlineMs) ?? this.#openAndAppend(request, deadlineMs);
  }

  async #openAndAppend(request: AppendRequest, deadlineMs: number): Promise<AppendAnswer> {
    const startMs = performance.now();
    const pipe = await within(deadlineMs, () => this.#open());
    return pipe.append(request, deadlineMs - (performance.now() - startMs));
  }

  /** The next append goes another way than one that fell silent, which may not be the fault of the connection. */
  renewPipe(): void {
    this.#pipe?.retire();
    this.#pipe = undefined;
    this.#opening = undefined;
  }

  /** Calls `wake` when the client is replaced or closed; gives the way to be called no more. */
  onRetired(wake: () => void): () => void {
    this.#retired.signal.addEventListener('abort', wake);
    return () => this.#retired.signal.removeEventListener('abort', wake);
  }

  /** Nothing new goes this way; what is under way has some time yet. */
  retire(graceMs: number): void {
    this.#retired.abort();
    setTimeout(() => this.end(), graceMs).unref();
  }

  /** Ends what is under way, and the connection. */
  end(): void {
    this.#retired.abort();
    this.#own.end();
  }

  #open(): Promise<AppendPipe> {
    const forget = (): void => {
      if (this.#opening !== opening) return;
      this.#pipe = undefined;
      this.#opening = undefined;
    };
    const open = async (): Promise<AppendPipe> => {
      const pipe = new AppendPipe(await openBatchAppend(this.client, this.#options), forget);
      if (this.#opening === opening) this.#pipe = pipe;
      return pipe;
    };
    const opening = (this.#opening ??= open());
    opening.catch(forget);
    return opening;
  }
}
