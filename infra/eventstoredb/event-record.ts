/** Our events as the server keeps them: the data as JSON, and in the metadata the rest of the envelope. */
import { weigh } from '../../events/appendable.ts';
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import { idFromUuid, isIdOf, uuidOf } from '../../events/ids.ts';
import { sealedTexts } from '../../events/sealed-event.ts';
import type { Message } from './append-messages.ts';
import { jsonIn, type ServerRecord } from './server-record.ts';

export interface Encoded extends Message {
  /** What it adds to an append, in bytes. */
  readonly weight: number;
}

/** @throws {RangeError} the id is none of an event: the server wants the UUID in it */
export function encode(event: NewEvent): Encoded {
  const { id, type, version, at, data, meta } = event;
  if (!isIdOf('event', id)) throw new RangeError(`${id} is not the id of an event`);
  const texts = sealedTexts(event);
  const dataJson = texts?.data ?? JSON.stringify(data);
  const metaJson = texts?.meta ?? JSON.stringify(meta);
  const envelope = `{"version":${version},"at":${JSON.stringify(at)},"meta":${metaJson}}`;
  const weight = weigh(dataJson, metaJson);
  return { id: uuidOf(id), type, data: Buffer.from(dataJson), metadata: Buffer.from(envelope), weight };
}

/** @param prefix what the names of our streams begin with @throws {Error} the event is none of ours, or broken */
export function decode(prefix: string, record: ServerRecord): RecordedEvent {
  const { uuid, stream, revision, position, type } = record;
  const data = record.contentType === JSON_TYPE ? jsonIn(record.data) : undefined;
  const metadata = jsonIn(record.metadata);
  if (!isObject(data) || !isEnvelope(metadata)) {
    throw new Error(`event ${revision} of the stream ${stream} in EventStoreDB was not written by Bourse`);
  }
  const { version, at, meta } = metadata;
  return {
    id: idFromUuid('event', uuid),
    type,
    version,
    at,
    data,
    meta,
    streamId: stream.slice(prefix.length),
    revision,
    position,
  };
}

type Envelope = Pick<NewEvent, 'version' | 'at' | 'meta'>;

const JSON_TYPE = 'application/json';

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
