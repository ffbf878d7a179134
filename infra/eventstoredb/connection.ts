/**
 * The one line to the server that all calls share, and each call's deadline. A line that falls silent is replaced, and
 * what uses it moves to the next. While the server cannot be reached calls are refused at once, until it can.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BaseOptions, EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Address } from './address.ts';
import type { AppendAnswer, AppendRequest } from './append-messages.ts';
import { readMembers } from './client-internals.ts';
import { ClientLine } from './client-line.ts';
import { within } from './deadline.ts';
import { CallFailure, failureOf } from './failures.ts';
import { firstReachable, type Host, rest } from './reachable.ts';

const MEMBERS_EVERY_MS = 30_000;
/** Before a second try, so that the client has left a broken connection. */
const MAX_PAUSE_MS = 50;
/** Appends under way; more are refused, rather than kept in memory for a server that does not follow. */
const MAX_APPENDS = 10_000;
const MAX_APPEND_BYTES_UNDER_WAY = 64_000_000;

export interface CallBounds {
  /** When an answer is wanted, by `performance.now()`. */
  readonly untilMs?: number;
  readonly deadlineMs?: number;
}

export class Connection {
  readonly deadlineMs: number;
  /** For each call. Only the leader knows what was appended a moment ago. */
  readonly options: BaseOptions;
  readonly #address: Address;
  readonly #closing = new AbortController();
  readonly #appends = new Set<Promise<AppendAnswer>>();
  readonly #retired = new Set<ClientLine>();
  readonly #waitingForLine: (() => void)[] = [];
  #appendBytes = 0;
  #line: ClientLine;
  /** The nodes of the cluster, as far as they were told. */
  #members: readonly Host[] = [];
  #membersAtMs = -Infinity;
  /** Why there is no line now. */
  #outage: CallFailure | undefined;

  /** @param deadlineMs for each call */
  constructor(address: Address, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    const { credentials } = address;
    this.options = { requiresLeader: true, deadline: deadlineMs, ...(credentials && { credentials }) };
    this.#address = address;
    this.#line = new ClientLine(address, this.options);
  }

  /** Whose rights count, for people. */
  get user(): string {
    const { credentials } = this.#address;
    return credentials === undefined ? 'whoever has no password' : `the user ${credentials.username}`;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * One call under the deadline, or a shorter one where an answer is wanted sooner.
   * @throws {CallFailure} @throws {StoreUnavailable} it is closed
   */
  call<T>(
    work: (client: EventStoreDBClient, signal: AbortSignal) => Promise<T>,
    { untilMs = Infinity, deadlineMs = this.deadlineMs }: CallBounds = {},
  ): Promise<T> {
    return this.#on(untilMs, deadlineMs, (line, ms) => within(ms, (signal) => work(line.client, signal)));
  }

  /**
   * An append that is not answered says nothing of the line: a server drops repeats of what it still replicates.
   * @throws {CallFailure} @throws {StoreUnavailable} it is closed, or too much is under way
   */
  async append(request: AppendRequest, untilMs: number): Promise<AppendAnswer> {
    if (this.#appends.size >= MAX_APPENDS || this.#appendBytes >= MAX_APPEND_BYTES_UNDER_WAY)
      throw new StoreUnavailable('too many writes wait for EventStoreDB');
    const bytes = request.messages.reduce(
      (sum, { data, metadata }) => sum + data.length + metadata.length,
      0,
    );
    const appending = this.#on(untilMs, this.deadlineMs, (line, ms) => line.append(request, ms));
    this.#appends.add(appending);
    this.#appendBytes += bytes;
    try {
      return await appending;
    } finally {
      this.#appends.delete(appending);
      this.#appendBytes -= bytes;
    }
  }

  /** The next append goes another way than those that were not answered. */
  renewPipe(): void {
    this.#line.renewPipe();
  }

  /** The line for a subscription. @throws {CallFailure} @throws {StoreUnavailable} it is closed */
  line(): ClientLine {
    if (this.isClosed) throw new StoreUnavailable('the log is closed');
    if (this.#outage !== undefined) throw this.#outage;
    return this.#line;
  }

  /** To be told of every failure on a line. */
  suspect(line: ClientLine, failure: CallFailure): void {
    if (line !== this.#line || this.#outage !== undefined || this.isClosed) return;
    if (failure.reason === 'silent') this.#replace(line);
    if (failure.reason === 'unreachable') void this.#waitOut(line, failure);
  }

  /** Waits for the end of an outage, for one deadline at most; while there is none, for nothing. */
  async whenUsable(untilMs = Infinity): Promise<void> {
    const ms = Math.min(this.deadlineMs, untilMs - performance.now());
    if (this.#outage === undefined || this.isClosed || ms <= 0) return;
    const over = new AbortController();
    this.#waitingForLine.push(() => over.abort());
    await rest(ms, AbortSignal.any([over.signal, this.#closing.signal]));
  }

  /** Waits before a call is tried again, and for the end of an outage as {@link whenUsable} does. */
  async beforeNextTry(untilMs?: number): Promise<void> {
    await pause(Math.random() * MAX_PAUSE_MS);
    await this.whenUsable(untilMs);
  }

  /** Waits for the appends under way, each within its deadline, and leaves nothing open. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#appends);
    for (const line of [...this.#retired, this.#line]) line.end();
  }

  async #on<T>(
    untilMs: number,
    deadlineMs: number,
    work: (line: ClientLine, ms: number) => Promise<T>,
  ): Promise<T> {
    const line = this.line();
    const ms = Math.min(deadlineMs, untilMs - performance.now());
    if (ms <= 0) throw new CallFailure('late', 'the time for an answer was over');
    try {
      const result = await work(line, ms);
      if (performance.now() - this.#membersAtMs >= MEMBERS_EVERY_MS) void this.#askForMembers(line);
      return result;
    } catch (error) {
      const failure = failureOf(error);
      // Whoever had little time left has not waited long enough to know.
      if (failure.reason !== 'silent' || ms === deadlineMs) this.suspect(line, failure);
      throw failure;
    }
  }

  /** In case that none of the hosts in the address is there one day. */
  async #askForMembers(line: ClientLine): Promise<void> {
    this.#membersAtMs = performance.now();
    try {
      this.#members = await within(this.deadlineMs, () => readMembers(line.client, this.options));
    } catch {
      // Those of the last time are good enough; the next call will ask again in a while.
    }
  }

  #replace(line: ClientLine): void {
    this.#line = new ClientLine(this.#address, this.options);
    this.#retire(line);
  }

  /**
   * Nothing new goes this way. What is under way on it may still be answered, until its own deadline; what is left then
   * fails, and is cancelled.
   */
  #retire(line: ClientLine): void {
    this.#retired.add(line);
    const graceMs = 2 * this.deadlineMs;
    line.retire(graceMs);
    setTimeout(() => this.#retired.delete(line), graceMs).unref();
  }

  /** Tries no client meanwhile: it would keep others waiting for it, and each try would leave a connection behind. */
  async #waitOut(line: ClientLine, failure: CallFailure): Promise<void> {
    this.#outage = new CallFailure('away', failure.message, { cause: failure.cause });
    this.#retire(line);
    const found = await firstReachable([this.#address.hosts, this.#members], this.#closing.signal);
    if (this.isClosed || found === undefined) return;
    // By the members only where nobody else is there: their addresses may be good among themselves alone.
    const isGiven = found === this.#address.hosts;
    this.#line = new ClientLine(this.#address, this.options, isGiven ? undefined : found);
    this.#outage = undefined;
    for (const wake of this.#waitingForLine.splice(0)) wake();
  }
}
