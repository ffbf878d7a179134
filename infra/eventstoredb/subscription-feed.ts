/**
 * One subscription on the server, as a queue to take from. What the client reports beside the events, where the server
 * has looked and when it has caught up, is put into the same queue, so that each keeps its place among the events.
 */
import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import type { ClientLine } from './client-line.ts';
import type { Connection } from './connection.ts';
import { CallFailure, failureOf } from './failures.ts';
import { BEGINNING, compare, isPlace, type LogPosition } from './position.ts';

export type FeedItem = AllStreamResolvedEvent | Report;

type Report =
  /** Everything up to here was looked at, others' events included. */
  | { readonly kind: 'looked'; readonly position: LogPosition }
  /** Everything that there was is given. */
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

/** The server looks through so many events of others in one go, and reports how far it came. */
const SEARCH_WINDOW_EVENTS = 1_000;
/** The client holds back the server when so much is not taken. */
const MAX_BUFFERED_EVENTS = 128;

export class SubscriptionFeed {
  readonly #subscription: AllStreamSubscription;
  readonly #stopListening: () => void;
  #isConfirmed = false;
  #failure: CallFailure | undefined;
  #wake: (() => void) | undefined;

  /** @param after exclusive; an event must stand there */
  constructor(line: ClientLine, prefix: string, after: LogPosition, options: Connection['options']) {
    const subscription = line.client.subscribeToAll(
      {
        ...options,
        fromPosition: compare(after, BEGINNING) === 0 ? START : after,
        filter: streamNameFilter({
          prefixes: [prefix],
          maxSearchWindow: SEARCH_WINDOW_EVENTS,
          checkpointReached: (_, position) => this.#report({ kind: 'looked', position }),
        }),
      },
      { highWaterMark: MAX_BUFFERED_EVENTS },
    );
    this.#subscription = subscription;
    subscription.on('confirmation', () => {
      this.#isConfirmed = true;
      this.#wake?.();
    });
    subscription.on('caughtUp', () => this.#report({ kind: 'caught-up' }));
    subscription.on('fellBehind', () => this.#report({ kind: 'fell-behind' }));
    subscription.on('readable', () => this.#wake?.());
    // It stays: an error without a listener ends the process, and one may come after the feed was left.
    subscription.on('error', (error) => this.#fail(failureOf(error)));
    subscription.on('end', () => this.#fail(new CallFailure('broken', 'the server ended the subscription')));
    this.#stopListening = line.onRetired(() => {
      this.#fail(new CallFailure('broken', 'the connection was replaced'));
    });
  }

  /** Whether the server has taken it up. */
  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** What ended it; there may be something to take still. */
  get failure(): CallFailure | undefined {
    return this.#failure;
  }

  /** The next item, or null when there is none for now. */
  take(): FeedItem | null {
    // The client's stream is typed by its events, and holds our reports as well.
    return this.#subscription.read() as FeedItem | null;
  }

  /** Resolves with true when something may have changed, with false after the time. */
  async news(ms: number): Promise<boolean> {
    if (this.#failure !== undefined || this.#subscription.readableLength > 0) return true;
    const isNews = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    this.#wake = undefined;
    return isNews;
  }

  /** Ends the waiting for news. */
  wake(): void {
    this.#wake?.();
  }

  /** Leaves the subscription, which the client itself would keep open. */
  close(): void {
    this.#stopListening();
    this.#subscription.unsubscribe().catch(() => {});
    this.#subscription.destroy();
  }

  #report(report: Report): void {
    // A server that has found nothing yet says that it looked at everything there will ever be.
    if (report.kind === 'looked' && !isPlace(report.position)) return;
    this.#subscription.push(report);
  }

  #fail(failure: CallFailure): void {
    this.#failure ??= failure;
    this.#wake?.();
  }
}
