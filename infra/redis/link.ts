/**
 * One connection to Redis, under our rules: every command has a deadline, none waits for a connection that is away,
 * none is sent a second time by itself, and no more than a bounded number are under way. A connection that says nothing
 * is dropped and made anew; until it has answered again, everybody is told at once that Redis is away.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import type { RedisAddress } from './address.ts';
import { reasonOf, whyNotOpened } from './reason.ts';

export interface LinkOptions {
  readonly address: RedisAddress;
  /** As `CLIENT LIST` shows it. */
  readonly name: string;
  /** A command that is not answered by then has failed, and a connection that says nothing for so long is dropped. */
  readonly timeoutMs: number;
  readonly maxUnderWay: number;
  /** Told when the connection is lost; it is made anew by itself. */
  readonly onLost: (error: Error) => void;
}

export interface LinkStatus {
  readonly state: 'up' | 'away';
  /** RFC 3339. */
  readonly since: string;
}

/** What a port throws when its engine is away. */
export type Unavailable = new (message: string) => Error;

const CONNECT_TIMEOUT_MS = 5_000;
/** Until Redis has answered, and has read its data from the disk. */
const START_TIMEOUT_MS = 9_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

export class RedisLink {
  readonly client: Redis;
  readonly #shown: string;
  readonly #maxUnderWay: number;
  #underWay = 0;
  #isClosed = false;
  #lastError: Error | undefined;
  #status: LinkStatus = { state: 'away', since: new Date().toISOString() };

  /** @throws {QueueUnavailable} Redis cannot be reached, or lets nobody in: one line that says why */
  static async open(options: LinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    try {
      await link.#start();
      return link;
    } catch (error) {
      link.close();
      throw error;
    }
  }

  private constructor({ address, name, timeoutMs, maxUnderWay, onLost }: LinkOptions) {
    const { host, port, username, password, db, isTls, shown } = address;
    this.#shown = shown;
    this.#maxUnderWay = maxUnderWay;
    this.client = new Redis({
      host,
      port,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(isTls && { tls: {} }),
      db,
      connectionName: name,
      lazyConnect: true,
      connectTimeout: CONNECT_TIMEOUT_MS,
      maxLoadingRetryTime: MAX_RETRY_MS,
      commandTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      enableOfflineQueue: false,
      // What is under way when the connection is lost fails with it.
      maxRetriesPerRequest: 0,
      // It has become a replica: whoever is the primary now is found by connecting anew.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
      retryStrategy: (times) =>
        Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** times) * (0.5 + Math.random() / 2),
    });
    this.client.on('error', (error: Error) => (this.#lastError = error));
    this.client.on('ready', () => this.#turn('up'));
    this.client.on('close', () => {
      if (this.#status.state === 'up' && !this.#isClosed)
        onLost(new Error(this.#says('is lost', this.#lastError)));
      this.#turn('away');
    });
  }

  status(): LinkStatus {
    return this.#status;
  }

  /** @throws what `Unavailable` makes: nothing was done, or it is not known what was */
  async ask<Answer>(Unavailable: Unavailable, call: (client: Redis) => Promise<Answer>): Promise<Answer> {
    if (this.client.status !== 'ready') throw new Unavailable(this.#says('is away', this.#lastError));
    if (this.#underWay >= this.#maxUnderWay) throw new Unavailable(this.#says('is overloaded'));
    this.#underWay += 1;
    try {
      return await call(this.client);
    } catch (error) {
      // Ours, and no failure of the engine.
      if (error instanceof TypeError || error instanceof RangeError) throw error;
      throw new Unavailable(this.#says('failed', error));
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Whatever is under way fails, and nothing keeps the process alive. */
  close(): void {
    this.#isClosed = true;
    this.client.disconnect();
  }

  async #start(): Promise<void> {
    const late = new AbortController();
    const lateness = delay(START_TIMEOUT_MS, 'late', { signal: late.signal });
    const outcome = await Promise.race([
      this.client.connect().catch(() => 'closed'),
      // The only way in which it ends early is that the connection has come to something.
      lateness.catch(() => 'late'),
    ]);
    late.abort();
    // Also with a connection: where there is no such database, it would go on with another.
    if (outcome === undefined && this.#lastError === undefined) {
      this.client.on('ready', () => (this.#lastError = undefined));
      return;
    }
    const why = this.#lastError ?? (outcome === 'late' ? new Error('it is not ready yet') : undefined);
    throw new QueueUnavailable(`Redis at ${this.#shown} cannot be used: ${whyNotOpened(why)}`);
  }

  #turn(state: LinkStatus['state']): void {
    if (this.#status.state !== state) this.#status = { state, since: new Date().toISOString() };
  }

  #says(what: string, error?: unknown): string {
    const why = error === undefined ? '' : `: ${reasonOf(error)}`;
    return `Redis at ${this.#shown} ${what}${why}`;
  }
}
