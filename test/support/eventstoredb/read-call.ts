/** Streams.Read: streams and `$all`, either way, once or as a subscription. Source: Streams.Read.cs. */
import { once } from 'node:events';
import type { ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { type Answers, answersTo } from './read-answers.ts';
import { type CallContext, refusal } from './call-context.ts';
import type { Met, StreamFault } from './faults.ts';
import { readRequest } from './read-request.ts';
import { invalidArgument, notLeader, rpcError } from './rpc-errors.ts';

type ReadCall = ServerWritableStream<streamsPb.ReadReq, streamsPb.ReadResp>;

export function handleRead(context: CallContext, call: ReadCall): void {
  const abort = new AbortController();
  for (const ending of ['cancelled', 'error', 'close']) call.on(ending, () => abort.abort());
  serve(context, call, abort.signal).then(
    (failure) => {
      if (abort.signal.aborted) return;
      if (failure === null) call.end();
      else call.emit('error', failure);
    },
    (bug: unknown) => call.emit('error', bug),
  );
}

/** Resolves when the call is to be ended, with the status to end it with; or when its client has gone. */
async function serve(
  context: CallContext,
  call: ReadCall,
  signal: AbortSignal,
): Promise<ServiceError | null> {
  const request = readRequest(call.request);
  if (request === null) return invalidArgument('a required argument is missing');
  const method = request.count === 'subscription' ? 'subscribe' : 'read';
  context.countCall(method);
  const refused = refusal(context, call.metadata, request.stream ?? '$all', 'read');
  if (refused !== null) return refused;
  const met = context.faults.meetStream(method);
  const failed = await beginWith(context, call, met, signal);
  if (failed !== null || signal.aborted) return failed;
  if (method === 'subscribe') signal.addEventListener('abort', context.countSubscription(), { once: true });
  const answers = answersTo(context, request, signal);
  try {
    return met !== null && 'events' in met.fault
      ? await giveSome(context, call, answers, met.fault, signal)
      : await giveAll(call, answers, signal);
  } finally {
    await answers.return(null);
  }
}

/** The faults that come before the first message. */
async function beginWith(
  context: CallContext,
  call: ReadCall,
  met: Met<StreamFault> | null,
  signal: AbortSignal,
): Promise<ServiceError | null> {
  switch (met?.fault.kind) {
    case 'silence':
      return untilGone(signal);
    case 'break':
      context.cut(call.getPeer());
      return untilGone(signal);
    case 'status':
      return rpcError(met.fault.code, met.fault.details ?? 'as the test asked');
    case 'not-leader':
      return notLeader(met.fault.leader);
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

/** Passes the answers on as fast as the client takes them. */
async function giveAll(call: ReadCall, answers: Answers, signal: AbortSignal): Promise<ServiceError | null> {
  while (true) {
    const { value, done } = await answers.next();
    if (done === true) return value;
    if (signal.aborted) return null;
    await give(call, value, signal);
  }
}

/** As many events as the fault lets through, and then the fault. */
async function giveSome(
  context: CallContext,
  call: ReadCall,
  answers: Answers,
  fault: Extract<StreamFault, { events: number }>,
  signal: AbortSignal,
): Promise<ServiceError | null> {
  for (let events = 0; events < fault.events;) {
    const { value, done } = await answers.next();
    if (done === true) return value;
    if (signal.aborted) return null;
    if (value.hasEvent()) events += 1;
    await give(call, value, signal);
  }
  switch (fault.kind) {
    case 'silence-after':
      return untilGone(signal);
    case 'drop-after':
      return rpcError(fault.code, 'dropped, as the test asked');
    case 'break-after':
      context.cut(call.getPeer());
      return untilGone(signal);
    case 'end-after':
      return null;
  }
}

async function give(call: ReadCall, message: streamsPb.ReadResp, signal: AbortSignal): Promise<void> {
  // An abort means that nobody waits for more: the loops above see it.
  if (!call.write(message)) await once(call, 'drain', { signal }).catch(() => {});
}

async function untilGone(signal: AbortSignal): Promise<null> {
  if (!signal.aborted) await once(signal, 'abort');
  return null;
}
