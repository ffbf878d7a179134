/** Streams.Append, Delete and Tombstone. Source: Streams.{Append,Delete}.cs in EventStore.Core's gRPC transport. */
import type { ServiceError } from '@grpc/grpc-js';
import type { sendUnaryData, ServerReadableStream, ServerUnaryCall } from '@grpc/grpc-js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { refusedAccess } from './access.ts';
import { type CallContext, wantsLeader } from './call-context.ts';
import { answerWith } from './faulty-answer.ts';
import type { Method } from './faults.ts';
import type { ProposedEvent } from './ledger.ts';
import { appendBytes, proposedEvent } from './proposed-event.ts';
import { nameOf, unsigned } from './protobuf.ts';
import {
  invalidArgument,
  MAX_APPEND_BYTES,
  maxAppendSizeExceeded,
  notLeader,
  streamDeleted,
  wrongExpectedVersion,
} from './rpc-errors.ts';
import { append, type ExpectedRevision, softDelete, tombstone, type WriteOutcome } from './writing.ts';

type AppendCall = ServerReadableStream<streamsPb.AppendReq, streamsPb.AppendResp>;
type DeleteCall = ServerUnaryCall<streamsPb.DeleteReq, streamsPb.DeleteResp>;
type TombstoneCall = ServerUnaryCall<streamsPb.TombstoneReq, streamsPb.TombstoneResp>;

export function handleAppend(
  context: CallContext,
  call: AppendCall,
  callback: sendUnaryData<streamsPb.AppendResp>,
): void {
  context.countCall('append');
  let options: streamsPb.AppendReq.Options | undefined;
  const events: ProposedEvent[] = [];
  let bytes = 0;
  let isAnswered = false;
  const fail = (error: ServiceError): void => {
    if (!isAnswered) callback(error);
    isAnswered = true;
  };
  call.on('data', (request: streamsPb.AppendReq) => {
    if (isAnswered) return;
    options ??= request.getOptions();
    const message = request.getProposedMessage();
    if (message === undefined) return;
    bytes += appendBytes(message);
    if (bytes > MAX_APPEND_BYTES) return fail(maxAppendSizeExceeded());
    events.push(proposedEvent(message));
  });
  // The client has gone: nobody waits for an answer.
  call.on('error', () => (isAnswered = true));
  call.on('end', () => {
    if (isAnswered) return;
    const expected = options === undefined ? null : expectedRevision(options);
    if (options === undefined || expected === null) return fail(invalidArgument('no expected revision'));
    const stream = nameOf(options.getStreamIdentifier());
    const refused = refusal(context, call, stream);
    if (refused !== null) return fail(refused);
    answerWith<WriteOutcome>(context, context.faults.meet('append'), {
      effect: () => append(context.ledger, stream, expected, events),
      answer(outcome) {
        if (outcome.kind === 'deleted') return fail(streamDeleted(stream));
        if (!isAnswered) callback(null, appendResponse(outcome, expected));
        isAnswered = true;
      },
      fail,
      cut: () => context.cut(call.getPeer()),
      wrongVersion: (current) => ({ kind: 'wrong-version', current }),
    });
  });
}

export function handleDelete(
  context: CallContext,
  call: DeleteCall,
  callback: sendUnaryData<streamsPb.DeleteResp>,
): void {
  handleRemoval(context, 'delete', call, callback, (outcome) => {
    const response = new streamsPb.DeleteResp();
    if (outcome.position === null) return response.setNoPosition(new sharedPb.Empty());
    const position = String(outcome.position);
    return response.setPosition(
      new streamsPb.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });
}

export function handleTombstone(
  context: CallContext,
  call: TombstoneCall,
  callback: sendUnaryData<streamsPb.TombstoneResp>,
): void {
  handleRemoval(context, 'tombstone', call, callback, (outcome) => {
    const response = new streamsPb.TombstoneResp();
    if (outcome.position === null) return response.setNoPosition(new sharedPb.Empty());
    const position = String(outcome.position);
    return response.setPosition(
      new streamsPb.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });
}

function handleRemoval<Response>(
  context: CallContext,
  method: Extract<Method, 'delete' | 'tombstone'>,
  call: DeleteCall | TombstoneCall,
  callback: sendUnaryData<Response>,
  respond: (outcome: Extract<WriteOutcome, { kind: 'written' }>) => Response,
): void {
  context.countCall(method);
  const options = call.request.getOptions();
  const expected = options === undefined ? null : expectedRevision(options);
  if (options === undefined || expected === null) return callback(invalidArgument('no expected revision'));
  const stream = nameOf(options.getStreamIdentifier());
  const refused = refusal(context, call, stream);
  if (refused !== null) return callback(refused);
  const remove = method === 'delete' ? softDelete : tombstone;
  answerWith<WriteOutcome>(context, context.faults.meet(method), {
    effect: () => remove(context.ledger, stream, expected),
    answer(outcome) {
      if (outcome.kind === 'deleted') return callback(streamDeleted(stream));
      if (outcome.kind === 'written') return callback(null, respond(outcome));
      callback(wrongExpectedVersion(method, stream, asNumber(expected), outcome.current));
    },
    fail: (error) => callback(error),
    cut: () => context.cut(call.getPeer()),
    wrongVersion: (current) => ({ kind: 'wrong-version', current }),
  });
}

/** Why this node will not take a write to `stream` from this caller. */
function refusal(
  { credentials, leader }: CallContext,
  { metadata }: Pick<AppendCall, 'metadata'>,
  stream: string,
): ServiceError | null {
  const refused = refusedAccess(metadata, credentials, stream);
  if (refused !== null) return refused;
  const other = leader();
  // A follower forwards writes to its leader unless the caller insists on the leader itself.
  return other !== null && wantsLeader(metadata) ? notLeader(other) : null;
}

interface ExpectedRevisionOptions {
  hasRevision(): boolean;
  getRevision(): string;
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

function expectedRevision(options: ExpectedRevisionOptions): ExpectedRevision | null {
  if (options.hasRevision()) return BigInt(options.getRevision());
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream_exists' : null;
}

/** How the server's own code writes the expectations that are no revisions. */
function asNumber(expected: ExpectedRevision): bigint {
  if (expected === 'no_stream') return -1n;
  if (expected === 'any') return -2n;
  return expected === 'stream_exists' ? -4n : expected;
}

function appendResponse(
  outcome: Exclude<WriteOutcome, { kind: 'deleted' }>,
  expected: ExpectedRevision,
): streamsPb.AppendResp {
  if (outcome.kind === 'wrong-version') {
    return new streamsPb.AppendResp().setWrongExpectedVersion(wrongVersion(outcome.current, expected));
  }
  const success = new streamsPb.AppendResp.Success();
  if (outcome.revision === -1n) success.setNoStream(new sharedPb.Empty());
  else success.setCurrentRevision(unsigned(outcome.revision));
  if (outcome.position === null) success.setNoPosition(new sharedPb.Empty());
  else {
    const position = String(outcome.position);
    success.setPosition(
      new streamsPb.AppendResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  }
  return new streamsPb.AppendResp().setSuccess(success);
}

/** Unary appends report a wrong revision in the answer, not as a status. */
function wrongVersion(
  current: bigint,
  expected: ExpectedRevision,
): streamsPb.AppendResp.WrongExpectedVersion {
  const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
  if (expected === 'any') wrong.setExpectedAny(new sharedPb.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new sharedPb.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new sharedPb.Empty());
  else wrong.setExpectedRevision(unsigned(expected));
  return current === -1n
    ? wrong.setCurrentNoStream(new sharedPb.Empty())
    : wrong.setCurrentRevision(unsigned(current));
}
