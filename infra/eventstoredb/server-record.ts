/**
 * An event as the server's answers hold it. What the client would make of it costs as much again as all that is made of
 * it here: a date, four numbers of 64 bits and a copy of its bytes, of which nobody wants more than some.
 */
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { type LogPosition, positionText } from './position.ts';

export type ServerRecord = streamsPb.ReadResp.ReadEvent.RecordedEvent;

/** Undefined where the answer brings none, or the place of one that is gone. */
export function recordIn(answer: streamsPb.ReadResp): ServerRecord | undefined {
  return answer.getEvent()?.getEvent();
}

export function streamNameOf(record: ServerRecord): string {
  const name = record.getStreamIdentifier()?.getStreamName_asU8();
  return name === undefined ? '' : textOf(name);
}

export function typeOf(record: ServerRecord): string {
  return record.getMetadataMap().get('type') ?? '';
}

/** As text: every request of ours asks for ids that way. */
export function uuidIn(record: ServerRecord): string {
  return record.getId()?.getString() ?? '';
}

export function positionOf(
  place: Pick<ServerRecord, 'getCommitPosition' | 'getPreparePosition'>,
): LogPosition {
  return { commit: BigInt(place.getCommitPosition()), prepare: BigInt(place.getPreparePosition()) };
}

/** The same as `toText` gives of its position. */
export function positionTextOf(record: ServerRecord): string {
  return positionText(record.getCommitPosition(), record.getPreparePosition());
}

/** How much its data and what we keep beside it take. */
export function bytesIn(record: ServerRecord): number {
  return record.getData_asU8().length + record.getCustomMetadata_asU8().length;
}

/** Undefined where it is no JSON. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    return undefined;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
