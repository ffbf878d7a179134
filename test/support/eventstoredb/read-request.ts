/** What a Streams.Read asks for. */
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { eventFilter } from './event-filter.ts';
import { nameOf } from './protobuf.ts';
import { type Position, READ_BATCH_EVENTS } from './reading.ts';
import type { AllFilter } from './subscription.ts';

export interface ReadRequest {
  /** Null for `$all`. */
  readonly stream: string | null;
  readonly isForwards: boolean;
  readonly count: bigint | 'subscription';
  readonly revision: bigint | 'start' | 'end';
  readonly position: Position | 'start' | 'end';
  readonly filter: AllFilter | null;
  /** Whether links are followed to what they name. */
  readonly resolvesLinks: boolean;
}

/** Null when something is missing that the server insists on. */
export function readRequest(request: streamsPb.ReadReq): ReadRequest | null {
  const options = request.getOptions();
  if (options === undefined || !options.hasUuidOption()) return null;
  const stream = options.getStream();
  const all = options.getAll();
  if (stream === undefined && all === undefined) return null;
  return {
    stream: stream === undefined ? null : nameOf(stream.getStreamIdentifier()),
    isForwards: options.getReadDirection() === 0,
    count: options.hasSubscription() ? 'subscription' : BigInt(options.getCount()),
    revision: stream?.hasRevision() ? BigInt(stream.getRevision()) : stream?.hasEnd() ? 'end' : 'start',
    position: positionOf(all),
    filter: filterOf(options.getFilter()),
    resolvesLinks: options.getResolveLinks(),
  };
}

function positionOf(all: streamsPb.ReadReq.Options.AllOptions | undefined): Position | 'start' | 'end' {
  const position = all?.getPosition();
  if (position === undefined) return all?.hasEnd() ? 'end' : 'start';
  return {
    commit: BigInt(position.getCommitPosition()),
    prepare: BigInt(position.getPreparePosition()),
  };
}

function filterOf(filter: streamsPb.ReadReq.Options.FilterOptions | undefined): AllFilter | null {
  if (filter === undefined) return null;
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  return {
    allows: eventFilter({
      on: byStream === undefined ? 'type' : 'stream',
      regex: expression?.getRegex() ?? '',
      prefixes: expression?.getPrefixList() ?? [],
    }),
    window: filter.hasMax() ? filter.getMax() : READ_BATCH_EVENTS,
    checkpointMultiplier: filter.getCheckpointintervalmultiplier(),
  };
}
