/** What a read gives, message by message. Source: the Enumerator.Read*.cs of EventStore.Core's transport. */
import { once } from 'node:events';
import type { ServiceError } from '@grpc/grpc-js';
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { subscribeToAllOrDrop, subscribeToAllOrFallBehind } from './all-subscription.ts';
import type { CallContext } from './call-context.ts';
import { shownInAll } from './event-filter.ts';
import type { Ledger, StoredEvent } from './ledger.ts';
import { followLink, type Resolved } from './links.ts';
import { readEvent, streamNotFound, subscriptionMessage } from './protobuf.ts';
import type { ReadRequest } from './read-request.ts';
import {
  isReadable,
  READ_BATCH_EVENTS,
  readAllBackwards,
  readAllForwards,
  readStreamBackwards,
  readStreamForwards,
  START,
} from './reading.ts';
import { handlerFailed, invalidPosition, streamDeleted, timedOut, unknownError } from './rpc-errors.ts';
import { subscribeToStream } from './stream-subscription.ts';
import { confirmed, type Subscription, type SubscriptionEnd } from './subscription.ts';

/** Messages, and in the end the status to fail with, or null. */
export type Answers = AsyncGenerator<streamsPb.ReadResp, ServiceError | null>;

export function answersTo(context: CallContext, request: ReadRequest, signal: AbortSignal): Answers {
  const { stream, count } = request;
  if (count === 'subscription') return subscription(context, request, signal);
  return stream === null
    ? readAll(context, request, count, signal)
    : readStream(context, request, stream, count);
}

async function* readStream(
  { ledger }: CallContext,
  request: ReadRequest,
  stream: string,
  count: bigint,
): Answers {
  const { isForwards, revision } = request;
  if (count === 0n || (isForwards && revision === 'end'))
    return unknownError('Unexpected ReadStreamResult: Error');
  let left = count;
  let next = revision === 'start' ? 0n : revision === 'end' ? null : revision;
  while (left > 0n) {
    const page = isForwards
      ? readStreamForwards(ledger, stream, next ?? 0n, new Date())
      : readStreamBackwards(ledger, stream, next, new Date());
    if (page.kind === 'deleted') return streamDeleted(stream);
    if (page.kind === 'no-stream') {
      yield streamNotFound(stream);
      return null;
    }
    for (const event of page.events) {
      if (left <= 0n) return null;
      left -= 1n;
      yield readEvent(resolving(ledger, request)(event));
    }
    if (page.isEnd) return null;
    next = page.next;
  }
  return null;
}

async function* readAll(
  { ledger, generation }: CallContext,
  request: ReadRequest,
  count: bigint,
  signal: AbortSignal,
): Answers {
  const { isForwards, position, filter } = request;
  // Such a read is never answered.
  if (count === 0n && !signal.aborted) await once(signal, 'abort');
  const end = { commit: ledger.end(), prepare: ledger.end() };
  const read = isForwards ? readAllForwards : readAllBackwards;
  let left = count;
  let next = position === 'start' ? START : position === 'end' ? end : position;
  if (!isReadable(ledger, next)) {
    return unknownError(`Unexpected ReadAllResult: ${generation === '23.10' ? 'Error' : 'InvalidPosition'}`);
  }
  while (left > 0n) {
    const page = read(ledger, next, filter?.allows ?? shownInAll, filter?.window ?? READ_BATCH_EVENTS);
    for (const event of page.events) {
      if (left <= 0n) return null;
      left -= 1n;
      yield readEvent(resolving(ledger, request)(event));
    }
    if (page.isEnd) return null;
    next = page.next;
  }
  return null;
}

async function* subscription(context: CallContext, request: ReadRequest, signal: AbortSignal): Answers {
  const { position, stream } = request;
  if (stream === null && typeof position !== 'string' && !isReadable(context.ledger, position)) {
    if (context.generation === '23.10') return handlerFailed();
    yield subscriptionMessage(confirmed(), asItIs);
    return invalidPosition();
  }
  const resolve = resolving(context.ledger, request);
  const messages = subscriptionTo(context, request, signal);
  try {
    while (true) {
      const { value, done } = await messages.next();
      if (done === true) return endOf(value, stream ?? '$all');
      yield subscriptionMessage(value, resolve);
    }
  } finally {
    await messages.return('gone');
  }
}

function endOf(end: SubscriptionEnd, stream: string): ServiceError | null {
  switch (end) {
    case 'gone':
      return null;
    case 'stream-deleted':
      return streamDeleted(stream);
    case 'too-slow':
      return timedOut('Consumer too slow to handle event while live. Client resubscription required.');
  }
}

function subscriptionTo(
  { ledger, generation }: CallContext,
  { stream, position, revision, filter }: ReadRequest,
  signal: AbortSignal,
): Subscription {
  if (stream !== null) {
    const after = revision === 'start' ? null : revision;
    return subscribeToStream(ledger, stream, after, generation, signal);
  }
  const subscribe = generation === '23.10' ? subscribeToAllOrDrop : subscribeToAllOrFallBehind;
  return subscribe(ledger, position, filter, signal);
}

function asItIs(event: StoredEvent): Resolved {
  return { event, link: null };
}

function resolving(ledger: Ledger, { resolvesLinks }: ReadRequest): (event: StoredEvent) => Resolved {
  return resolvesLinks ? (event) => followLink(ledger, event) : asItIs;
}
