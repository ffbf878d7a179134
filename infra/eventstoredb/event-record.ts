/** Our events as the server keeps them: the data as JSON, and in the metadata the rest of the envelope. */
import type { RecordedEvent as ServerEvent } from '@eventstore/db-client';
import { z } from 'zod';
import { weigh } from '../../events/appendable.ts';
import type { EventMeta, NewEvent, RecordedEvent } from '../../events/event.ts';
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

/** Loose where the port's own types are the measure: what is written comes back whole. */
const ENVELOPE = z.object({
  version: z.int().positive(),
  at: z.string(),
  meta: z.looseObject({ actor: z.string(), requestId: z.string(), commandId: z.string() }),
});
const DATA = z.custom<object>((data) => typeof data === 'object' && data !== null);

/** @param prefix what the names of our streams begin with @throws {Error} the event is none of ours, or broken */
export function decode(prefix: string, event: ServerEvent): RecordedEvent {
  const { streamId, revision, id, type, position } = event;
  const envelope = ENVELOPE.safeParse(event.metadata);
  const data = DATA.safeParse(event.isJson ? event.data : undefined);
  if (!envelope.success || !data.success || position === undefined) {
    throw new Error(`event ${revision} of the stream ${streamId} in EventStoreDB was not written by Bourse`);
  }
  const { version, at, meta } = envelope.data;
  return {
    id: idFromUuid('event', id),
    type,
    version,
    at,
    data: data.data,
    // What the port's type asks for has just been looked at; what else is in it is as it was written.
    meta: meta as EventMeta,
    streamId: streamId.slice(prefix.length),
    revision: Number(revision),
    position: toText(position),
  };
}
