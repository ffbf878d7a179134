/** Streams.Append: one append in a call of its own. Source: Streams.Append.cs in EventStore.Core's gRPC transport. */
import type { sendUnaryData, ServerReadableStream, ServiceError } from '@grpc/grpc-js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { type CallContext, refusal } from './call-context.ts';
import { expectedRevision, setExpected } from './expected-revision.ts';
import { answerWith } from './faulty-answer.ts';
import type { ProposedEvent } from './ledger.ts';
import { appendBytes, proposedEvent } from './proposed-event.ts';
import { nameOf, unsigned } from './protobuf.ts';
import {
  handlerFailed,
  invalidArgument,
  maxAppendSizeExceeded,
  notFollowed,
  streamDeleted,
  timedOut,
} from './rpc-errors.ts';
import { type ToldOutcome, whenSettled } from './settling.ts';
import { isNameless } from './stream-names.ts';
import { append, type ExpectedRevision, type WriteOutcome } from './writing.ts';

type AppendCall = ServerReadableStream<streamsPb.AppendReq, streamsPb.AppendResp>;

export function handleAppend(
  context: CallContext,
  call: AppendCall,
  callback: sendUnaryData<streamsPb.AppendResp>,
): void {
  let options: streamsPb.AppendReq.Options | undefined;
  const events: ProposedEvent[] = [];
  let bytes = 0;
  let isOver = false;
  const finish: typeof callback = (...answer) => {
    if (!isOver) callback(...answer);
    isOver = true;
  };
  call.on('data', (request: streamsPb.AppendReq) => {
    options ??= request.getOptions();
    const message = request.getProposedMessage();
    if (isOver || message === undefined) return;
    bytes += appendBytes(message);
    if (bytes <= context.maxAppendBytes) events.push(proposedEvent(message));
  });
  // The client has gone: nobody waits for an answer.
  for (const ending of ['error', 'cancelled']) call.on(ending, () => (isOver = true));
  call.on('end', () => {
    if (isOver) return;
    context.countCall('append');
    if (options === undefined) return finish(invalidArgument('the first message has the options'));
    // Only now: a call that is answered while its client still sends can end without the answer.
    if (bytes > context.maxAppendBytes) return finish(maxAppendSizeExceeded(context.maxAppendBytes));
    write(context, call, options, events, finish);
  });
}

function write(
  context: CallContext,
  call: AppendCall,
  options: streamsPb.AppendReq.Options,
  events: readonly ProposedEvent[],
  finish: sendUnaryData<streamsPb.AppendResp>,
): void {
  const expected = expectedRevision(options, options.hasRevision() ? options.getRevision() : null);
  if (expected === null) return finish(invalidArgument('no revision is expected'));
  const stream = nameOf(options.getStreamIdentifier());
  const refused = refusal(context, call.metadata, stream, 'write');
  if (refused !== null) return finish(refused);
  if (events.some(({ type }) => type === '')) return finish(handlerFailed());
  if (isNameless(stream)) {
    return context.generation === '23.10' ? context.die() : finish(notFollowed('nameless stream'));
  }
  answerWith<WriteOutcome>(context.faults.meetAnswer('append'), {
    effect: () => append(context.ledger, stream, expected, events),
    answer(outcome) {
      whenSettled(context, outcome, (told) => {
        const response = appendResponse(told, stream, expected);
        if (response instanceof Error) finish(response);
        else finish(null, response);
      });
    },
    fail: (error) => finish(error),
    cut: () => context.cut(call.getPeer()),
    later: context.later,
    wrongVersion: (current) => ({ kind: 'wrong-version', current }),
    timedOut: () => ({ kind: 'timed-out' }),
  });
}

/** A wrong revision is an answer here; a deleted stream is a status. */
function appendResponse(
  outcome: ToldOutcome,
  stream: string,
  expected: ExpectedRevision,
): streamsPb.AppendResp | ServiceError {
  switch (outcome.kind) {
    case 'written':
      return new streamsPb.AppendResp().setSuccess(success(outcome));
    case 'wrong-version':
      return new streamsPb.AppendResp().setWrongExpectedVersion(wrongVersion(outcome.current, expected));
    case 'deleted':
      return streamDeleted(stream);
    case 'timed-out':
      return timedOut('Commit phase timeout.');
  }
}

function success({
  revision,
  position,
}: Extract<WriteOutcome, { kind: 'written' }>): streamsPb.AppendResp.Success {
  const done = new streamsPb.AppendResp.Success();
  if (revision === -1n) done.setNoStream(new sharedPb.Empty());
  else done.setCurrentRevision(unsigned(revision));
  if (position === null) return done.setNoPosition(new sharedPb.Empty());
  return done.setPosition(
    new streamsPb.AppendResp.Position()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  );
}

function wrongVersion(
  current: bigint,
  expected: ExpectedRevision,
): streamsPb.AppendResp.WrongExpectedVersion {
  const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
  setExpected(wrong, expected, new sharedPb.Empty(), (revision) => {
    wrong.setExpectedRevision(unsigned(revision));
  });
  return current === -1n
    ? wrong.setCurrentNoStream(new sharedPb.Empty())
    : wrong.setCurrentRevision(unsigned(current));
}
