/** Our events as the server keeps them: the data as JSON, and in the metadata the rest of the envelope. */
import type { RecordedEvent as ServerEvent } from '@eventstore/db-client';
import { weigh } from '../../events/appendable.ts';
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import { idFromUuid, uuidOf } from '../../events/ids.ts';
import type { Message } from './append-pipe.ts';
import { toText } from './position.ts';

export interface Encoded extends Message {
  /** What it adds to an append, in bytes. */
  readonly weight: number;
}

/** @throws {RangeError} the id is none of an event: the server wants the UUID in it */
export function encode({ id, type, version, at, data, meta }: NewEvent): Encoded {
  const uuid = uuidOf(id);
  if (idFromUuid('event', uuid) !== id) throw new RangeError(`${id} is not the id of an event`);
  const dataJson = JSON.stringify(data);
  const metaJson = JSON.stringify(meta);
  const envelope = `{"version":${version},"at":${JSON.stringify(at)},"meta":${metaJson}}`;
  const weight = weigh(dataJson, metaJson);
  return { id: uuid, type, data: Buffer.from(dataJson), metadata: Buffer.from(envelope), weight };
}

/** @param prefix what the names of our streams begin with @throws {Error} the event is none of ours, or broken */
export function decode(prefix: string, event: ServerEvent): RecordedEvent {
  const { streamId, revision, id, type, position, isJson, data, metadata } = event;
  if (!isJson || !isObject(data) || !isEnvelope(metadata) || position === undefined) {
    throw new Error(`event ${revision} of the stream ${streamId} in EventStoreDB was not written by Bourse`);
  }
  const { version, at, meta } = metadata;
  return {
    id: idFromUuid('event', id),
    type,
    version,
    at,
    data,
    meta,
    streamId: streamId.slice(prefix.length),
    revision: Number(revision),
    position: toText(position),
  };
}

type Envelope = Pick<NewEvent, 'version' | 'at' | 'meta'>;

/** By hand: a schema copies what it looks at, and this is looked at for each event that is read. */
function isEnvelope(metadata: unknown): metadata is Envelope {
  if (!isObject(metadata)) return false;
  const { version, at, meta } = metadata;
  if (!Number.isSafeInteger(version) || typeof at !== 'string' || !isObject(meta)) return false;
  return META.every((name) => typeof meta[name] === 'string');
}

const META = ['actor', 'requestId', 'commandId'] as const;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
