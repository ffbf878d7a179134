/** An append and its answer, as the batch protocol has them. */
import { randomUUID } from 'node:crypto';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { NO_STREAM } from '../../events/event-store.ts';
import { CallFailure, type FailureReason, NOT_LOOKED_AT } from './failures.ts';
import type { LogPosition } from './position.ts';
import { placeIn, textIn } from './server-record.ts';
import { WireReader, WireWriter } from './wire.ts';

/** An event as the server keeps it. */
export interface Message {
  /** A UUID. */
  readonly id: string;
  readonly type: string;
  /** JSON in UTF-8. */
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** One of our own making, of which nothing is repeated by its id. */
export function jsonMessage(type: string, value: object): Message {
  return { id: randomUUID(), type, data: Buffer.from(JSON.stringify(value)), metadata: Buffer.of() };
}

export interface AppendRequest {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly messages: readonly Message[];
}

/** One of those that are under way over one stream of appends. */
export interface NumberedAppend {
  /** A UUID; its answer has it too. */
  readonly id: string;
  readonly request: AppendRequest;
}

export type AppendAnswer =
  /** The position is missing where the server does not know it any more, or not yet. */
  | { readonly ok: true; readonly revision: number; readonly position: LogPosition | undefined }
  | { readonly ok: false; readonly actualRevision: number };

export interface NumberedAnswer {
  readonly id: string;
  readonly answer: AppendAnswer | CallFailure;
}

/** BatchAppendReq in streams.proto. */
export function appendBytes({ id, request: { stream, expectedRevision, messages } }: NumberedAppend): Buffer {
  const options = new WireWriter().message(1, new WireWriter().text(3, stream));
  if (expectedRevision === NO_STREAM) options.message(3, new WireWriter());
  else options.number(2, expectedRevision);
  const append = new WireWriter().message(1, uuid(id)).message(2, options);
  for (const message of messages) append.message(3, proposedMessage(message));
  return append.number(4, 1).finish();
}

function proposedMessage({ id, type, data, metadata }: Message): WireWriter {
  return new WireWriter().message(1, uuid(id)).fields(kindOf(type)).bytes(3, metadata).bytes(4, data);
}

/** What says of which type an event is; there are few of them. */
const kinds = new Map<string, Buffer>();

function kindOf(type: string): Buffer {
  const known = kinds.get(type);
  if (known !== undefined) return known;
  const kind = new WireWriter()
    .message(2, entry('type', type))
    .message(2, entry('content-type', 'application/json'))
    .finish();
  kinds.set(type, kind);
  return kind;
}

function uuid(id: string): WireWriter {
  return new WireWriter().text(2, id);
}

function entry(name: string, value: string): WireWriter {
  return new WireWriter().text(1, name).text(2, value);
}

/** Of BatchAppendResp in streams.proto. @throws {RangeError} it is none */
export function appendAnswerOf(bytes: Buffer): NumberedAnswer {
  const fields = new WireReader(bytes);
  let id = '';
  let answer: AppendAnswer | undefined;
  while (fields.next()) {
    if (fields.field === 1) id = textIn(fields.message(), 2);
    else if (fields.field === 3) answer = success(fields.message());
    else fields.skip();
  }
  return { id, answer: answer ?? refusalIn(bytes) };
}

function success(fields: WireReader): AppendAnswer {
  let revision = 0;
  let position: LogPosition | undefined;
  while (fields.next()) {
    if (fields.field === 1) revision = Number(fields.digits());
    else if (fields.field === 3) position = placeIn(fields.message());
    else fields.skip();
  }
  return { ok: true, revision, position };
}

/** There are many kinds of them, and few of each: the client's own classes know them all. */
function refusalIn(bytes: Buffer): AppendAnswer | CallFailure {
  const error = streamsPb.BatchAppendResp.deserializeBinary(bytes).getError();
  const details = error?.getDetails();
  const kind = details?.getTypeName().replace('event_store.client.', '') ?? '';
  const wrong =
    kind === 'WrongExpectedVersion' &&
    details?.unpack((value) => sharedPb.WrongExpectedVersion.deserializeBinary(value), details.getTypeName());
  if (wrong) return { ok: false, actualRevision: actualRevision(wrong) };
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
