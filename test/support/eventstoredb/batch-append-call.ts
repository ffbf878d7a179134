/**
 * Streams.BatchAppend: one stream of messages each way. An append comes in as many messages as it takes, and is
 * answered by its correlation id in any order. Source: Streams.BatchAppend.cs in EventStore.Core's gRPC transport.
 */
import type { ServerDuplexStream, ServiceError } from '@grpc/grpc-js';
import type sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { refusedAccess } from './access.ts';
import { batchAnswer, type BatchRefusal, batchRefusal } from './batch-answers.ts';
import { type CallContext, caller, refusedByRole } from './call-context.ts';
import { expectedRevision } from './expected-revision.ts';
import { answerWith } from './faulty-answer.ts';
import type { ProposedEvent } from './ledger.ts';
import { appendBytes, proposedEvent } from './proposed-event.ts';
import { nameOf, streamIdentifier } from './protobuf.ts';
import { notFollowed, unauthenticated } from './rpc-errors.ts';
import { whenSettled } from './settling.ts';
import { isNameless } from './stream-names.ts';
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
  const line = answerLine(call);
  if (caller(context, call.metadata).kind === 'stranger') return line.fail(unauthenticated());
  const pending = new Map<string, PendingAppend>();
  call.on('data', (request: streamsPb.BatchAppendReq) => {
    const key = keyOf(request);
    const options = request.getOptions();
    const begun = pending.get(key) ?? (options === undefined ? undefined : begin(request, options));
    if (begun === undefined) return;
    const refused = take(context, call, begun, request);
    if (refused !== null || request.getIsFinal()) pending.delete(key);
    else pending.set(key, begun);
    if (refused !== null) return line.answer(begun, refusing(refused));
    if (request.getIsFinal()) write(context, call, begun, line);
  });
}

function keyOf(request: streamsPb.BatchAppendReq): string {
  return request.getCorrelationId()?.getString() ?? '';
}

function begin(request: streamsPb.BatchAppendReq, options: streamsPb.BatchAppendReq.Options): PendingAppend {
  const revision = options.hasStreamPosition() ? options.getStreamPosition() : null;
  return {
    id: request.getCorrelationId(),
    stream: nameOf(options.getStreamIdentifier()),
    expected: expectedRevision(options, revision) ?? 'any',
    events: [],
    bytes: 0,
  };
}

/** Takes one message of an append in; the reason when it is refused with that. */
function take(
  context: CallContext,
  call: BatchCall,
  begun: PendingAppend,
  request: streamsPb.BatchAppendReq,
): BatchRefusal | null {
  const denied = refusedAccess(context.ledger, caller(context, call.metadata), begun.stream, 'write');
  if (denied !== null) return { kind: 'AccessDenied' };
  const deadline = request.getOptions()?.getDeadline();
  if (deadline !== undefined && deadline.toDate().getTime() <= Date.now()) return { kind: 'Timeout' };
  for (const message of request.getProposedMessagesList()) {
    begun.bytes += appendBytes(message);
    begun.events.push(proposedEvent(message));
  }
  if (begun.events.some(({ type }) => type === '')) return { kind: 'BadRequest' };
  const bytes = context.maxAppendBytes;
  return begun.bytes > bytes ? { kind: 'MaximumAppendSizeExceeded', bytes } : null;
}

function refusing(refusal: BatchRefusal): streamsPb.BatchAppendResp {
  return new streamsPb.BatchAppendResp().setError(batchRefusal(refusal));
}

function write(
  context: CallContext,
  call: BatchCall,
  { id, stream, expected, events }: PendingAppend,
  line: AnswerLine,
): void {
  context.countCall('batchAppend');
  if (context.role().kind === 'electing') return line.answer({ id, stream }, refusing({ kind: 'NotReady' }));
  // This refusal is no answer: it ends the call, and with it all that is pending there.
  const refused = refusedByRole(context, call.metadata);
  if (refused !== null) return line.fail(refused);
  if (isNameless(stream)) {
    return context.generation === '23.10' ? context.die() : line.fail(notFollowed('nameless stream'));
  }
  line.owe();
  answerWith<WriteOutcome>(context.faults.meetAnswer('batchAppend'), {
    effect: () => append(context.ledger, stream, expected, events),
    answer(outcome) {
      whenSettled(context, outcome, (told) => {
        line.answer({ id, stream }, batchAnswer(told, stream, expected));
        line.settle();
      });
    },
    fail: line.fail,
    cut: () => context.cut(call.getPeer()),
    later: context.later,
    wrongVersion: (current) => ({ kind: 'wrong-version', current }),
    timedOut: () => ({ kind: 'timed-out' }),
  });
}

/** The way back to the client: open until it has ended its side and all is answered, or until the call fails. */
interface AnswerLine {
  readonly answer: (to: Pick<PendingAppend, 'id' | 'stream'>, response: streamsPb.BatchAppendResp) => void;
  readonly fail: (error: ServiceError) => void;
  /** One more, or one less, to be answered before the call may end. */
  readonly owe: () => void;
  readonly settle: () => void;
}

function answerLine(call: BatchCall): AnswerLine {
  let isOver = false;
  let hasClientEnded = false;
  let unanswered = 0;
  const endIfDone = (): void => {
    if (isOver || !hasClientEnded || unanswered > 0) return;
    isOver = true;
    call.end();
  };
  for (const ending of ['error', 'cancelled']) call.on(ending, () => (isOver = true));
  call.on('end', () => {
    hasClientEnded = true;
    endIfDone();
  });
  return {
    answer({ id, stream }, response) {
      if (isOver) return;
      call.write(response.setCorrelationId(id).setStreamIdentifier(streamIdentifier(stream)));
    },
    fail(error) {
      if (!isOver) call.emit('error', error);
      isOver = true;
    },
    owe: () => void (unanswered += 1),
    settle() {
      unanswered -= 1;
      endIfDone();
    },
  };
}
