/** Streams.Delete and Streams.Tombstone. Source: Streams.Delete.cs in EventStore.Core's gRPC transport. */
import type { sendUnaryData, ServerUnaryCall, ServiceError } from '@grpc/grpc-js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { type CallContext, refusal } from './call-context.ts';
import { asNumber, expectedRevision } from './expected-revision.ts';
import { answerWith } from './faulty-answer.ts';
import { nameOf } from './protobuf.ts';
import { invalidArgument, streamDeleted, timedOut, wrongExpectedVersion } from './rpc-errors.ts';
import { type ToldOutcome, whenSettled } from './settling.ts';
import { type ExpectedRevision, softDelete, tombstone, type WriteOutcome } from './writing.ts';

type DeleteCall = ServerUnaryCall<streamsPb.DeleteReq, streamsPb.DeleteResp>;
type TombstoneCall = ServerUnaryCall<streamsPb.TombstoneReq, streamsPb.TombstoneResp>;

export function handleDelete(
  context: CallContext,
  call: DeleteCall,
  callback: sendUnaryData<streamsPb.DeleteResp>,
): void {
  handleRemoval(context, 'delete', call, callback, (position) => {
    if (position === null) return new streamsPb.DeleteResp().setNoPosition(new sharedPb.Empty());
    return new streamsPb.DeleteResp().setPosition(
      new streamsPb.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });
}

export function handleTombstone(
  context: CallContext,
  call: TombstoneCall,
  callback: sendUnaryData<streamsPb.TombstoneResp>,
): void {
  handleRemoval(context, 'tombstone', call, callback, (position) => {
    if (position === null) return new streamsPb.TombstoneResp().setNoPosition(new sharedPb.Empty());
    return new streamsPb.TombstoneResp().setPosition(
      new streamsPb.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });
}

function handleRemoval<Response>(
  context: CallContext,
  method: 'delete' | 'tombstone',
  call: DeleteCall | TombstoneCall,
  callback: sendUnaryData<Response>,
  respond: (position: string | null) => Response,
): void {
  context.countCall(method);
  const options = call.request.getOptions();
  const expected: ExpectedRevision | null =
    options === undefined
      ? null
      : expectedRevision(options, options.hasRevision() ? options.getRevision() : null);
  if (options === undefined || expected === null) {
    return callback(invalidArgument('no revision is expected'));
  }
  const stream = nameOf(options.getStreamIdentifier());
  const refused = refusal(context, call.metadata, stream, 'delete');
  if (refused !== null) return callback(refused);
  const remove = method === 'delete' ? softDelete : tombstone;
  answerWith<WriteOutcome>(context.faults.meetAnswer(method), {
    effect: () => remove(context.ledger, stream, expected),
    answer: (outcome) =>
      whenSettled(context, outcome, (told) => {
        const response = removalResponse(told, stream, expected);
        if (response instanceof Error) callback(response);
        else callback(null, respond(response));
      }),
    fail: (error) => callback(error),
    cut: () => context.cut(call.getPeer()),
    later: context.later,
    wrongVersion: (current) => ({ kind: 'wrong-version', current }),
    timedOut: () => ({ kind: 'timed-out' }),
  });
}

/** The position of what was written, as text, or why nothing was. */
function removalResponse(
  outcome: ToldOutcome,
  stream: string,
  expected: ExpectedRevision,
): ServiceError | string | null {
  switch (outcome.kind) {
    case 'written':
      return outcome.position === null ? null : String(outcome.position);
    case 'wrong-version':
      return wrongExpectedVersion('Delete', stream, asNumber(expected), outcome.current);
    case 'deleted':
      return streamDeleted(stream);
    case 'timed-out':
      return timedOut('Commit phase timeout.');
  }
}
