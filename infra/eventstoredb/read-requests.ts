/** What a read asks of the server, in the words of its protocol; and the events of its answers, as the client has them. */
import {
  BACKWARDS,
  type Direction,
  END,
  type ReadPosition,
  type ReadRevision,
  type RecordedEvent as ServerEvent,
  START,
} from '@eventstore/db-client';
import { convertGrpcRecord } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';

const { Options } = streamsPb.ReadReq;
/** Of a read that is to go on to the end. */
export const ALL_EVENTS = Number.MAX_SAFE_INTEGER;

export interface StreamPage {
  readonly direction: Direction;
  /** The first revision to give, inclusive. */
  readonly from: ReadRevision;
  readonly maxCount: number;
}

export interface LogPage {
  readonly direction: Direction;
  /** Inclusive forwards, exclusive backwards. */
  readonly from: ReadPosition;
  readonly maxCount: number;
}

export function streamRequest(stream: string, { direction, from, maxCount }: StreamPage): streamsPb.ReadReq {
  const place = new Options.StreamOptions().setStreamIdentifier(
    new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)),
  );
  if (from === START) place.setStart(new sharedPb.Empty());
  else if (from === END) place.setEnd(new sharedPb.Empty());
  else place.setRevision(String(from));
  return new streamsPb.ReadReq().setOptions(bounds(direction, maxCount).setStream(place));
}

export function logRequest({ direction, from, maxCount }: LogPage): streamsPb.ReadReq {
  const place = new Options.AllOptions();
  if (from === START) place.setStart(new sharedPb.Empty());
  else if (from === END) place.setEnd(new sharedPb.Empty());
  else place.setPosition(positionOf(from));
  return new streamsPb.ReadReq().setOptions(bounds(direction, maxCount).setAll(place));
}

/** Undefined where the answer brings none, or the place of one that is gone. */
export function eventIn(answer: streamsPb.ReadResp): ServerEvent | undefined {
  const event = answer.getEvent()?.getEvent();
  return event && convertGrpcRecord(event);
}

function bounds(direction: Direction, maxCount: number): streamsPb.ReadReq.Options {
  const { FORWARDS: forwards, BACKWARDS: backwards } = Options.ReadDirection;
  return new Options()
    .setReadDirection(direction === BACKWARDS ? backwards : forwards)
    .setCount(String(maxCount))
    .setUuidOption(new Options.UUIDOption().setString(new sharedPb.Empty()))
    .setNoFilter(new sharedPb.Empty());
}

function positionOf({ commit, prepare }: Exclude<ReadPosition, string>): streamsPb.ReadReq.Options.Position {
  return new Options.Position().setCommitPosition(String(commit)).setPreparePosition(String(prepare));
}
