/** The server's answers as the client's own generated messages. */
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from './ledger.ts';
import type { Resolved } from './links.ts';
import type { Position } from './reading.ts';
import type { SubscriptionMessage } from './subscription.ts';

const { ReadResp } = streamsPb;

/** .NET counts time in ticks of 100 ns. */
const TICKS_PER_MS = 10_000n;
/** How the server writes -1 into an unsigned field. */
const UNSIGNED_MINUS_ONE = 18_446_744_073_709_551_615n;

export function unsigned(value: bigint): string {
  return String(value < 0n ? UNSIGNED_MINUS_ONE : value);
}

export function streamIdentifier(name: string): sharedPb.StreamIdentifier {
  return new sharedPb.StreamIdentifier().setStreamName(Buffer.from(name));
}

export function nameOf(identifier: { getStreamName_asU8(): Uint8Array } | undefined): string {
  return identifier === undefined ? '' : Buffer.from(identifier.getStreamName_asU8()).toString('utf8');
}

/** Gives an event as the reader gets it. */
export function readEvent({ event, link }: Resolved): streamsPb.ReadResp {
  const resolved = new ReadResp.ReadEvent();
  if (event !== null) resolved.setEvent(recordedEvent(event));
  if (link !== null) resolved.setLink(recordedEvent(link));
  const given = link ?? event;
  if (given === null) throw new Error('neither an event nor a link');
  return new ReadResp().setEvent(resolved.setCommitPosition(String(given.position)));
}

function recordedEvent(event: StoredEvent): streamsPb.ReadResp.ReadEvent.RecordedEvent {
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new sharedPb.UUID().setString(event.id))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(unsigned(event.revision))
    .setCommitPosition(String(event.position))
    .setPreparePosition(String(event.position))
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('created', String(BigInt(event.created.getTime()) * TICKS_PER_MS))
    .set('content-type', event.isJson ? 'application/json' : 'application/octet-stream');
  return recorded;
}

export function streamNotFound(name: string): streamsPb.ReadResp {
  const notFound = new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(name));
  return new ReadResp().setStreamNotFound(notFound);
}

export function subscriptionMessage(
  message: SubscriptionMessage,
  resolve: (event: StoredEvent) => Resolved,
): streamsPb.ReadResp {
  switch (message.kind) {
    case 'confirmed':
      return new ReadResp().setConfirmation(
        new ReadResp.SubscriptionConfirmation().setSubscriptionId(message.id),
      );
    case 'event':
      return readEvent(resolve(message.event));
    case 'checkpoint':
      return new ReadResp().setCheckpoint(checkpoint(message.position));
    case 'caught-up':
      return new ReadResp().setCaughtUp(new ReadResp.CaughtUp());
    case 'fell-behind':
      return new ReadResp().setFellBehind(new ReadResp.FellBehind());
  }
}

function checkpoint({ commit, prepare }: Position): streamsPb.ReadResp.Checkpoint {
  return new ReadResp.Checkpoint().setCommitPosition(unsigned(commit)).setPreparePosition(unsigned(prepare));
}
