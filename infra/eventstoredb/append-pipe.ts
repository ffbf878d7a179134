/**
 * Appends over one stream of requests and answers, which costs a third of a call for each. The client has the same; but
 * there an answer that comes late or twice ends the process, no deadline is kept, and the failure of one connection
 * fails the appends of all others. Here each append waits for its own answer and no longer than its deadline.
 */
import { randomUUID } from 'node:crypto';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { NO_STREAM } from '../../events/event-store.ts';
import type { BatchAppendStream } from './client-internals.ts';
import { CallFailure, type FailureReason, failureOfStream, NOT_LOOKED_AT } from './failures.ts';
import type { LogPosition } from './position.ts';

/** An event as the server keeps it. */
export interface Message {
  /** A UUID. */
  readonly id: string;
  readonly type: string;
  /** JSON in UTF-8. */
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface AppendRequest {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly messages: readonly Message[];
}

export type AppendAnswer =
  /** The position is missing where the server does not know it any more, or not yet. */
  | { readonly ok: true; readonly revision: number; readonly position: LogPosition | undefined }
  | { readonly ok: false; readonly actualRevision: number };

interface Waiting {
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (failure: CallFailure) => void;
  readonly timer: NodeJS.Timeout;
}

export class AppendPipe {
  readonly #stream: BatchAppendStream;
  readonly #onBroken: () => void;
  readonly #waiting = new Map<string, Waiting>();
  #isBroken = false;
  #isRetired = false;

  /** @param onBroken called when it can take appends no more */
  constructor(stream: BatchAppendStream, onBroken: () => void) {
    this.#stream = stream;
    this.#onBroken = onBroken;
    stream.on('data', (response: streamsPb.BatchAppendResp) => this.#settle(response));
    stream.on('error', (error: Error) => this.#break(failureOfStream(error)));
    stream.on('end', () => this.#break(new CallFailure('broken', 'the server ended the stream of appends')));
  }

  /** @throws {CallFailure} */
  append(request: AppendRequest, deadlineMs: number): Promise<AppendAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#isBroken) return reject(new CallFailure('not-ready', 'the connection is gone'));
      const id = randomUUID();
      const giveUp = (): void => {
        this.#waiting.delete(id);
        this.#endIfRetired();
        reject(new CallFailure('unanswered', `no answer to an append within ${Math.round(deadlineMs)} ms`));
      };
      this.#waiting.set(id, { resolve, reject, timer: setTimeout(giveUp, deadlineMs) });
      this.#stream.write(toRequest(id, request));
    });
  }

  /** An answer that nobody waits for is late, or the second to one append: whoever asked has repeated it since. */
  #settle(response: streamsPb.BatchAppendResp): void {
    const id = response.getCorrelationId()?.getString() ?? '';
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    const answer = answerOf(response);
    if (answer instanceof CallFailure) waiting.reject(answer);
    else waiting.resolve(answer);
    this.#endIfRetired();
  }

  /** Takes no more appends, and ends once those under way are answered or given up. */
  retire(): void {
    this.#isRetired = true;
    this.#endIfRetired();
  }

  #endIfRetired(): void {
    if (this.#isRetired && !this.#isBroken && this.#waiting.size === 0) this.#stream.end();
  }

  #break(failure: CallFailure): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#onBroken();
    const told = afterSending(failure, this.#waiting.size);
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(told);
    }
    this.#waiting.clear();
  }
}

/**
 * A leader that steps down says so of the whole pipe, and a server that puts aside one append ends the pipe for all:
 * the others, or what was sent before, may have happened all the same.
 */
function afterSending(failure: CallFailure, waiting: number): CallFailure {
  const isOfOthers = failure.reason === 'not-leader' || (failure.reason === 'not-ready' && waiting > 1);
  if (!isOfOthers) return failure;
  return new CallFailure('broken', failure.message, { cause: failure });
}

function toRequest(
  id: string,
  { stream, expectedRevision, messages }: AppendRequest,
): streamsPb.BatchAppendReq {
  const options = new streamsPb.BatchAppendReq.Options().setStreamIdentifier(
    new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)),
  );
  if (expectedRevision === NO_STREAM) options.setNoStream(new sharedPb.Empty());
  else options.setStreamPosition(String(expectedRevision));
  return new streamsPb.BatchAppendReq()
    .setCorrelationId(new sharedPb.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(messages.map(toProposedMessage))
    .setIsFinal(true);
}

function toProposedMessage({ id, type, data, metadata }: Message): streamsPb.BatchAppendReq.ProposedMessage {
  const message = new streamsPb.BatchAppendReq.ProposedMessage()
    .setId(new sharedPb.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata);
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message;
}

function answerOf(response: streamsPb.BatchAppendResp): AppendAnswer | CallFailure {
  const success = response.getSuccess();
  if (success !== undefined) {
    const position = success.getPosition();
    return {
      ok: true,
      revision: Number(success.getCurrentRevision()),
      position: position && {
        commit: BigInt(position.getCommitPosition()),
        prepare: BigInt(position.getPreparePosition()),
      },
    };
  }
  const details = response.getError()?.getDetails();
  const kind = details?.getTypeName().replace('event_store.client.', '') ?? '';
  const wrong =
    kind === 'WrongExpectedVersion' &&
    details?.unpack((bytes) => sharedPb.WrongExpectedVersion.deserializeBinary(bytes), details.getTypeName());
  if (wrong) return { ok: false, actualRevision: actualRevision(wrong) };
  const error = response.getError();
  // Without a leader the answer is an error of code 0 without details: it was not looked at.
  const isNothing = kind === '' && (error?.getCode() ?? 0) === 0;
  const message = error?.getMessage() || (isNothing ? 'the server is not ready' : kind);
  return new CallFailure(
    REFUSALS[kind] ?? (isNothing || NOT_LOOKED_AT.test(message) ? 'not-ready' : 'broken'),
    message,
  );
}

/** What the server says instead of an answer, by the type of its details. */
const REFUSALS: Readonly<Record<string, FailureReason>> = {
  AccessDenied: 'denied',
  StreamDeleted: 'deleted',
  MaximumAppendSizeExceeded: 'too-large',
  MaximumAppendEventSizeExceeded: 'too-large',
  BadRequest: 'refused',
};

/** Of a stream that does not exist some servers say -1, as an unsigned number. */
function actualRevision(wrong: sharedPb.WrongExpectedVersion): number {
  return wrong.hasCurrentStreamRevision()
    ? Number(BigInt.asIntN(64, BigInt(wrong.getCurrentStreamRevision())))
    : NO_STREAM;
}
