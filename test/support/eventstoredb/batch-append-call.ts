/**
 * Streams.BatchAppend: one stream of calls each way, each append in as many messages as it takes, answered by its
 * correlation id in any order. Source: Streams.BatchAppend.cs and Status.cs in EventStore.Core's gRPC transport.
 */
import type { ServerDuplexStream, ServiceError } from '@grpc/grpc-js';
import codePb from '@eventstore/db-client/generated/code_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { refusedAccess } from './access.ts';
import { type CallContext, wantsLeader } from './call-context.ts';
import { answerWith } from './faulty-answer.ts';
import type { ProposedEvent } from './ledger.ts';
import { appendBytes, proposedEvent } from './proposed-event.ts';
import { nameOf, streamIdentifier, unsigned } from './protobuf.ts';
import { MAX_APPEND_BYTES, notLeader } from './rpc-errors.ts';
import { append, type ExpectedRevision, type WriteOutcome } from './writing.ts';

type BatchCall = ServerDuplexStream<streamsPb.BatchAppendReq, streamsPb.BatchAppendResp>;

interface PendingAppend {
  readonly id: sharedPb.UUID | undefined;
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: ProposedEvent[];
  bytes: number;
}

export function handleBatchAppend(context: CallContext, call: BatchCall): void {
  const pending = new Map<string, PendingAppend>();
  let isOver = false;
  let unanswered = 0;
  let hasClientEnded = false;
  const respond = (to: PendingAppend, response: streamsPb.BatchAppendResp): void => {
    if (isOver) return;
    call.write(response.setCorrelationId(to.id).setStreamIdentifier(streamIdentifier(to.stream)));
  };
  const fail = (error: ServiceError): void => {
    if (!isOver) call.emit('error', error);
    isOver = true;
  };
  const endWhenAnswered = (): void => {
    if (isOver || !hasClientEnded || unanswered > 0) return;
    isOver = true;
    call.end();
  };
  const refuse = (to: PendingAppend, why: statusPb.Status): void => {
    pending.delete(keyOf(to.id));
    respond(to, new streamsPb.BatchAppendResp().setError(why));
  };

  call.on('data', (request: streamsPb.BatchAppendReq) => {
    const id = request.getCorrelationId();
    const options = request.getOptions();
    if (options !== undefined && !pending.has(keyOf(id))) {
      const stream = nameOf(options.getStreamIdentifier());
      const begun: PendingAppend = { id, stream, expected: expectedRevision(options), events: [], bytes: 0 };
      if (refusedAccess(call.metadata, context.credentials, stream) !== null) {
        return refuse(begun, errorStatus('AccessDenied', new sharedPb.AccessDenied()));
      }
      if (hasPassed(options)) return refuse(begun, errorStatus('Timeout', new sharedPb.Timeout()));
      pending.set(keyOf(id), begun);
    }
    const begun = pending.get(keyOf(id));
    if (begun === undefined) return;
    for (const message of request.getProposedMessagesList()) {
      begun.bytes += appendBytes(message);
      begun.events.push(proposedEvent(message));
    }
    if (begun.bytes > MAX_APPEND_BYTES) {
      const details = new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES);
      return refuse(begun, errorStatus('MaximumAppendSizeExceeded', details));
    }
    if (!request.getIsFinal()) return;
    pending.delete(keyOf(id));
    write(begun);
  });
  call.on('error', () => (isOver = true));
  call.on('cancelled', () => (isOver = true));
  call.on('end', () => {
    hasClientEnded = true;
    endWhenAnswered();
  });

  function write(request: PendingAppend): void {
    context.countCall('batchAppend');
    const other = context.leader();
    if (other !== null && wantsLeader(call.metadata)) return fail(notLeader(other));
    unanswered += 1;
    answerWith<WriteOutcome>(context, context.faults.meet('batchAppend'), {
      effect: () => append(context.ledger, request.stream, request.expected, request.events),
      answer(outcome) {
        respond(request, response(outcome, request));
        unanswered -= 1;
        endWhenAnswered();
      },
      fail,
      cut: () => context.cut(call.getPeer()),
      wrongVersion: (current) => ({ kind: 'wrong-version', current }),
    });
  }
}

function keyOf(id: sharedPb.UUID | undefined): string {
  return id?.getString() ?? '';
}

function expectedRevision(options: streamsPb.BatchAppendReq.Options): ExpectedRevision {
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

function hasPassed(options: streamsPb.BatchAppendReq.Options): boolean {
  const deadline = options.getDeadline();
  return deadline !== undefined && deadline.toDate().getTime() <= Date.now();
}

function response(outcome: WriteOutcome, { stream, expected }: PendingAppend): streamsPb.BatchAppendResp {
  const answer = new streamsPb.BatchAppendResp();
  switch (outcome.kind) {
    case 'written':
      return answer.setSuccess(success(outcome));
    case 'deleted': {
      const details = new sharedPb.StreamDeleted().setStreamIdentifier(streamIdentifier(stream));
      return answer.setError(errorStatus('StreamDeleted', details));
    }
    case 'wrong-version':
      return answer.setError(errorStatus('WrongExpectedVersion', wrongVersion(outcome.current, expected)));
  }
}

function success({
  revision,
  position,
}: Extract<WriteOutcome, { kind: 'written' }>): streamsPb.BatchAppendResp.Success {
  const done = new streamsPb.BatchAppendResp.Success();
  if (revision === -1n) done.setNoStream(new emptyPb.Empty());
  else done.setCurrentRevision(unsigned(revision));
  if (position === null) return done.setNoPosition(new emptyPb.Empty());
  return done.setPosition(
    new sharedPb.AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position)),
  );
}

function wrongVersion(current: bigint, expected: ExpectedRevision): sharedPb.WrongExpectedVersion {
  const wrong = new sharedPb.WrongExpectedVersion();
  if (expected === 'any') wrong.setExpectedAny(new emptyPb.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new emptyPb.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new emptyPb.Empty());
  else wrong.setExpectedStreamPosition(unsigned(expected));
  return current === -1n
    ? wrong.setCurrentNoStream(new emptyPb.Empty())
    : wrong.setCurrentStreamRevision(unsigned(current));
}

/** The codes that google.rpc.Status carries in an answer; the call itself goes on. */
const CODES = {
  WrongExpectedVersion: codePb.Code.ALREADY_EXISTS,
  StreamDeleted: codePb.Code.NOT_FOUND,
  AccessDenied: codePb.Code.PERMISSION_DENIED,
  Timeout: codePb.Code.DEADLINE_EXCEEDED,
  MaximumAppendSizeExceeded: codePb.Code.INVALID_ARGUMENT,
} as const;

function errorStatus(name: keyof typeof CODES, details: { serializeBinary(): Uint8Array }): statusPb.Status {
  const any = new anyPb.Any();
  any.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new statusPb.Status().setCode(CODES[name]).setMessage(name).setDetails(any);
}
