/**
 * One subscription on the server, as a queue to take from. What the client reports beside the events, where the server
 * has looked and when it has caught up, is put into the same queue, so that each keeps its place among the events.
 */
import { type AllStreamResolvedEvent, START, streamNameFilter } from '@eventstore/db-client';
import type { ClientLine } from './client-line.ts';
import type { Connection } from './connection.ts';
import { CallFailure } from './failures.ts';
import { BEGINNING, compare, isPlace, type LogPosition } from './position.ts';
import { PulledStream } from './pulled-stream.ts';

export type FeedItem = AllStreamResolvedEvent | Report;

type Report =
  /** Everything up to here was looked at, others' events included. */
  | { readonly kind: 'looked'; readonly position: LogPosition }
  /** Everything that there was is given. */
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

export interface SubscriptionFeed {
  readonly items: PulledStream<FeedItem>;
  /** Whether the server has taken it up. */
  readonly isConfirmed: () => boolean;
  readonly close: () => void;
}

/** The server looks through so many events of others in one go, and reports how far it came. */
const SEARCH_WINDOW_EVENTS = 1_000;
/** The client holds back the server when so much is not taken. */
const MAX_BUFFERED_EVENTS = 128;

/** @param after exclusive; an event must stand there */
export function openFeed(
  line: ClientLine,
  prefix: string,
  after: LogPosition,
  options: Connection['options'],
): SubscriptionFeed {
  const report = (what: Report): void => {
    // A server that has found nothing yet says that it looked at everything there will ever be.
    if (what.kind !== 'looked' || isPlace(what.position)) items.put(what);
  };
  const filter = streamNameFilter({
    prefixes: [prefix],
    maxSearchWindow: SEARCH_WINDOW_EVENTS,
    checkpointReached: (_, position) => report({ kind: 'looked', position }),
  });
  const fromPosition = compare(after, BEGINNING) === 0 ? START : after;
  const subscription = line.client.subscribeToAll(
    { ...options, fromPosition, filter },
    { highWaterMark: MAX_BUFFERED_EVENTS },
  );
  const items = new PulledStream<FeedItem>(
    subscription,
    () => void subscription.unsubscribe().catch(() => {}),
  );
  let isConfirmed = false;
  subscription.on('confirmation', () => {
    isConfirmed = true;
    items.wake();
  });
  subscription.on('caughtUp', () => report({ kind: 'caught-up' }));
  subscription.on('fellBehind', () => report({ kind: 'fell-behind' }));
  subscription.on('end', () => items.fail(new CallFailure('broken', 'the server ended a subscription')));
  const stopListening = line.onRetired(() => items.fail(replaced()));
  return {
    items,
    isConfirmed: () => isConfirmed,
    close() {
      stopListening();
      items.close();
    },
  };
}

/** What happens to whoever follows a line that is replaced. */
export function replaced(): CallFailure {
  return new CallFailure('broken', 'the connection was replaced');
}
