/** Streams.Read: streams and `$all`, either way, once or as a subscription. Source: Streams.Read.cs. */
import { once } from 'node:events';
import type { ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { refusedAccess } from './access.ts';
import { type CallContext, wantsLeader } from './call-context.ts';
import { statusOf } from './faulty-answer.ts';
import type { MetFault } from './faults.ts';
import { readEvent, streamNotFound, subscriptionMessage } from './protobuf.ts';
import { type ReadRequest, readRequest } from './read-request.ts';
import {
  readAllBackwards,
  readAllForwards,
  readStreamBackwards,
  readStreamForwards,
  type StreamPage,
} from './reading.ts';
import { invalidArgument, notLeader, rpcError, streamDeleted } from './rpc-errors.ts';
import { subscribeToAll, subscribeToStream } from './subscriptions.ts';

export type ReadCall = ServerWritableStream<streamsPb.ReadReq, streamsPb.ReadResp>;

/** The read as it goes on: messages, and at the end a failure or nothing. */
type Answers = AsyncGenerator<streamsPb.ReadResp, ServiceError | null>;

export function handleRead(context: CallContext, call: ReadCall): void {
  const abort = new AbortController();
  for (const ending of ['cancelled', 'error', 'close']) call.on(ending, () => abort.abort());
  answer(context, call, abort.signal).then(
    (failure) => {
      if (abort.signal.aborted) return;
      if (failure === null) call.end();
      else call.emit('error', failure);
    },
    (bug: unknown) => call.emit('error', bug),
  );
}

/** Resolves when the call is to be ended, with the status to end it with; never when it is to be silent. */
async function answer(
  context: CallContext,
  call: ReadCall,
  signal: AbortSignal,
): Promise<ServiceError | null> {
  const request = readRequest(call.request);
  const isSubscription = request !== null && request.count === 'subscription';
  const method = isSubscription ? 'subscribe' : 'read';
  context.countCall(method);
  if (request === null) return invalidArgument('a required argument is missing');
  const refused = refusedAccess(call.metadata, context.credentials, request.stream ?? '$all');
  if (refused !== null) return refused;
  const leader = context.leader();
  if (leader !== null && wantsLeader(call.metadata)) return notLeader(leader);

  const close = isSubscription ? context.countSubscription() : () => {};
  signal.addEventListener('abort', close, { once: true });
  try {
    const met = context.faults.meet(method);
    const failed = await beginWith(context, call, met);
    if (failed !== null) return failed;
    return await pump(context, call, answersTo(context, request, signal), met, signal);
  } finally {
    close();
  }
}

/** The faults that come before the first message. */
async function beginWith(
  context: CallContext,
  call: ReadCall,
  met: MetFault | null,
): Promise<ServiceError | null> {
  switch (met?.fault.kind) {
    case 'silence':
      return await new Promise<never>(() => {});
    case 'break':
      context.cut(call.getPeer());
      return null;
    case 'status':
      return statusOf(met.fault);
    case 'not-leader':
      return notLeader(met.fault.leader);
    case 'late':
    case 'slow': {
      const { ms } = met.fault;
      await new Promise<void>((resolve) => context.later(ms, resolve));
      return null;
    }
    case 'held':
      await new Promise<void>((resolve) => met.hold(resolve));
      return null;
    default:
      return null;
  }
}

/** Passes the answers on as fast as the client takes them, until a fault of this call stops them. */
async function pump(
  context: CallContext,
  call: ReadCall,
  answers: Answers,
  met: MetFault | null,
  signal: AbortSignal,
): Promise<ServiceError | null> {
  const fault = met?.fault;
  const limit = fault !== undefined && 'events' in fault ? fault.events : Number.POSITIVE_INFINITY;
  let events = 0;
  while (true) {
    if (events >= limit) {
      if (fault?.kind === 'silence-after') await new Promise<never>(() => {});
      if (fault?.kind === 'drop-after') return rpcError(fault.code, 'dropped, as the test asked for');
      return null;
    }
    const { value, done } = await answers.next();
    if (done === true) {
      if (fault?.kind === 'effect-then-silence') await new Promise<never>(() => {});
      if (fault?.kind === 'effect-then-break') context.cut(call.getPeer());
      return value;
    }
    if (signal.aborted) return null;
    if (value.hasEvent()) events += 1;
    if (!call.write(value)) await once(call, 'drain', { signal }).catch(() => {});
  }
}

function answersTo(context: CallContext, request: ReadRequest, signal: AbortSignal): Answers {
  if (request.count === 'subscription') return subscriptionTo(context, request, signal);
  return request.stream === null
    ? readAll(context, request, request.count)
    : readStream(context, request, request.stream, request.count);
}

async function* readStream(
  { ledger }: CallContext,
  { isForwards, revision }: ReadRequest,
  stream: string,
  count: bigint,
): Answers {
  let left = count;
  let next = revision === 'start' ? 0n : revision === 'end' ? null : revision;
  while (true) {
    const page: StreamPage = isForwards
      ? readStreamForwards(ledger, stream, next ?? ledger.headOf(stream) + 1n, new Date())
      : readStreamBackwards(ledger, stream, next, new Date());
    if (page.kind === 'deleted') return streamDeleted(stream);
    if (page.kind === 'no-stream') {
      yield streamNotFound(stream);
      return null;
    }
    for (const event of page.events) {
      if (left <= 0n) return null;
      left -= 1n;
      yield readEvent(event);
    }
    if (page.isEnd || left <= 0n) return null;
    next = page.next;
  }
}

async function* readAll({ ledger }: CallContext, request: ReadRequest, count: bigint): Answers {
  const { isForwards, position, filter } = request;
  const end = { commit: ledger.end(), prepare: ledger.end() };
  let left = count;
  let next = position === 'start' ? { commit: 0n, prepare: 0n } : position === 'end' ? end : position;
  while (true) {
    const read = isForwards ? readAllForwards : readAllBackwards;
    const page = read(ledger, next, filter?.allows ?? (() => true), filter?.window);
    for (const event of page.events) {
      if (left <= 0n) return null;
      left -= 1n;
      yield readEvent(event);
    }
    if (page.isEnd || left <= 0n) return null;
    next = page.next;
  }
}

async function* subscriptionTo({ ledger }: CallContext, request: ReadRequest, signal: AbortSignal): Answers {
  const { stream, position, revision, filter } = request;
  const messages =
    stream === null
      ? subscribeToAll(ledger, position, filter, signal)
      : subscribeToStream(ledger, stream, revision === 'start' ? null : revision, signal);
  for await (const message of messages) {
    if (message.kind === 'deleted') return streamDeleted(stream ?? '$all');
    yield subscriptionMessage(message);
  }
  return null;
}
