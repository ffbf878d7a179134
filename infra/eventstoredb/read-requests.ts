/** What a read or a subscription asks of the server, in the words of its protocol. */
import {
  BACKWARDS,
  type Direction,
  END,
  type ReadPosition,
  type ReadRevision,
  START,
} from '@eventstore/db-client';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { BEGINNING, compare, type LogPosition } from './position.ts';

const { Options } = streamsPb.ReadReq;
/** Of a read that is to go on to the end. */
export const ALL_EVENTS = Number.MAX_SAFE_INTEGER;
/** The server looks through so many events of others in one go, and reports how far it came. */
const SEARCH_WINDOW_EVENTS = 1_000;

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
  const options = bounds(direction, maxCount).setAll(placeInLog(from));
  return new streamsPb.ReadReq().setOptions(options);
}

/**
 * For the events of the streams of this prefix, and for word of how far the server has looked.
 * @param after exclusive; an event must stand there
 */
export function subscriptionRequest(prefix: string, after: LogPosition): streamsPb.ReadReq {
  const names = new Options.FilterOptions.Expression().setPrefixList([prefix]);
  const filter = new Options.FilterOptions()
    .setStreamIdentifier(names)
    .setMax(SEARCH_WINDOW_EVENTS)
    .setCheckpointintervalmultiplier(1);
  const options = new Options()
    .setAll(placeInLog(compare(after, BEGINNING) === 0 ? START : after))
    .setSubscription(new Options.SubscriptionOptions())
    .setUuidOption(idsAsText())
    .setFilter(filter);
  return new streamsPb.ReadReq().setOptions(options);
}

function bounds(direction: Direction, maxCount: number): streamsPb.ReadReq.Options {
  const { FORWARDS: forwards, BACKWARDS: backwards } = Options.ReadDirection;
  return new Options()
    .setReadDirection(direction === BACKWARDS ? backwards : forwards)
    .setCount(String(maxCount))
    .setUuidOption(idsAsText())
    .setNoFilter(new sharedPb.Empty());
}

function idsAsText(): streamsPb.ReadReq.Options.UUIDOption {
  return new Options.UUIDOption().setString(new sharedPb.Empty());
}

function placeInLog(from: ReadPosition): streamsPb.ReadReq.Options.AllOptions {
  const place = new Options.AllOptions();
  if (from === START) return place.setStart(new sharedPb.Empty());
  if (from === END) return place.setEnd(new sharedPb.Empty());
  return place.setPosition(positionOf(from));
}

function positionOf({ commit, prepare }: Exclude<ReadPosition, string>): streamsPb.ReadReq.Options.Position {
  return new Options.Position().setCommitPosition(String(commit)).setPreparePosition(String(prepare));
}
