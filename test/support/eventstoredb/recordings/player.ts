/** Makes the calls of a scenario through the official client and notes what is answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ANY,
  type AppendExpectedRevision,
  BACKWARDS,
  binaryEvent,
  END,
  type EventData,
  type EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  type Position,
  type ResolvedEvent,
  START,
  STREAM_EXISTS,
  type StreamMetadata,
} from '@eventstore/db-client';
import { notedError, notedResolved } from './noted.ts';
import type {
  Answer,
  AppendCall,
  Call,
  GetMetadataCall,
  ReadAllCall,
  ReadCall,
  RecordedEvent,
  RemovalCall,
  Scenario,
  SetMetadataCall,
  Step,
  WantedRevision,
} from './scenario.ts';
import type { Names, Stage, Waits } from './stage.ts';
import { subscribe } from './subscribing.ts';

const NO_ANSWER_MS = 8_000;

/** Half a second of silence, and eight seconds of patience. */
export const REAL_WAITS: Waits = {
  quiet: () => delay(500),
  patience: () => delay(NO_ANSWER_MS, undefined, { ref: false }),
};

/** The answers to all steps, in order. */
export async function play(
  client: EventStoreDBClient,
  { steps }: Pick<Scenario, 'steps'>,
  waits: Waits,
): Promise<readonly Answer[]> {
  const stage: Stage = { client, names: newNames(), waits };
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await answerTo(stage, step));
  return answers;
}

async function answerTo(stage: Stage, { call, answer }: Step): Promise<Answer> {
  if (call.do === 'subscribe') return await subscribe(stage, call, makeCall);
  const made = makeCall(stage, call);
  const none = stage.waits
    .patience(stage.client, answer)
    .then((): Answer => ({ error: 'no answer', afterMs: NO_ANSWER_MS }));
  return await Promise.race([made, none]);
}

/** Makes any call but a subscription; a refusal is an answer. */
async function makeCall(stage: Stage, call: Exclude<Call, { do: 'subscribe' }>): Promise<Answer> {
  try {
    switch (call.do) {
      case 'append':
        return await append(stage, call);
      case 'read':
        return await read(stage, call);
      case 'readAll':
        return await readAll(stage, call);
      case 'delete':
      case 'tombstone':
        return await remove(stage, call);
      case 'setMetadata':
        return await setMetadata(stage, call);
      case 'getMetadata':
        return await getMetadata(stage, call);
    }
  } catch (error) {
    return notedError(error);
  }
}

async function append({ client, names }: Stage, call: AppendCall): Promise<Answer> {
  const events = call.events.map((event) => proposed(names, event));
  const { success, nextExpectedRevision, position } = await client.appendToStream(call.stream, events, {
    ...expectedRevision(call.expected),
    ...(call.call === 'unary' && { credentials: { username: 'admin', password: 'changeit' } }),
  });
  const last = call.events.at(-1);
  if (last !== undefined && position !== undefined) names.stands(nameOf(last), position);
  return { success, next: String(nextExpectedRevision), position: notedPlace(position) };
}

function notedPlace(position: Position | undefined): string {
  if (position === undefined) return 'none';
  return position.commit === position.prepare ? 'commit = prepare' : 'commit and prepare differ';
}

function nameOf(event: RecordedEvent): string {
  return typeof event === 'string' ? event : event.id;
}

function proposed(names: Names, event: RecordedEvent): EventData {
  if (typeof event === 'string') {
    return jsonEvent({ id: names.idOf(event), type: 'Happened', data: { of: event } });
  }
  const { type = 'Happened', text, bytes, metadataBytes } = event;
  const metadata = metadataBytes === undefined ? event.metadata : Buffer.alloc(metadataBytes, 7);
  const common = { id: names.idOf(event.id), type, ...(metadata !== undefined && { metadata }) };
  // The types of the client ask for objects; the servers take any JSON.
  if ('json' in event) return jsonEvent({ ...common, data: event.json as Record<string, unknown> });
  const data = text === undefined ? Buffer.alloc(bytes ?? 0, 7) : Buffer.from(text);
  return binaryEvent({ ...common, data } as Parameters<typeof binaryEvent>[0]);
}

async function read({ client, names }: Stage, call: ReadCall): Promise<Answer> {
  const from = call.from ?? 'start';
  return await collected(names, () =>
    client.readStream(call.stream, {
      direction: call.direction === 'backwards' ? BACKWARDS : FORWARDS,
      fromRevision: from === 'start' ? START : from === 'end' ? END : BigInt(from),
      ...(call.maxCount !== undefined && { maxCount: call.maxCount }),
      ...(call.resolveLinks !== undefined && { resolveLinkTos: call.resolveLinks }),
    }),
  );
}

async function readAll({ client, names }: Stage, call: ReadAllCall): Promise<Answer> {
  const { events, ...rest } = await collected(
    names,
    () =>
      client.readAll({
        direction: call.direction === 'backwards' ? BACKWARDS : FORWARDS,
        fromPosition: names.placeOf(call.from),
        ...(call.maxCount !== undefined && { maxCount: call.maxCount }),
        ...(call.resolveLinks !== undefined && { resolveLinkTos: call.resolveLinks }),
      }),
    call.own,
  );
  return { events, ...rest };
}

/** What a read gives, and the error that it ends in; only what is of streams of `own`, where that is given. */
async function collected(
  names: Names,
  start: () => AsyncIterable<ResolvedEvent>,
  own?: string,
): Promise<Answer> {
  const events: unknown[] = [];
  let others = 'none';
  try {
    for await (const resolved of start()) {
      const { event, link } = resolved;
      if (event !== undefined && event.position !== undefined)
        names.stands(names.nameOf(event.id), event.position);
      if (own !== undefined && !(link ?? event)?.streamId.startsWith(own)) others = 'some';
      else events.push(notedResolved(names, resolved));
    }
  } catch (error) {
    return { events, ...notedError(error) };
  }
  return own === undefined ? { events } : { events, others };
}

async function remove({ client }: Stage, call: RemovalCall): Promise<Answer> {
  // The client's types know of no `stream_exists` here; the protocol does.
  const options = expectedRevision(call.expected) as { expectedRevision?: bigint };
  const { position } =
    call.do === 'delete'
      ? await client.deleteStream(call.stream, options)
      : await client.tombstoneStream(call.stream, options);
  return { position: position === undefined ? 'none' : 'some' };
}

async function setMetadata({ client }: Stage, call: SetMetadataCall): Promise<Answer> {
  const { nextExpectedRevision } = await client.setStreamMetadata(
    call.stream,
    call.metadata as StreamMetadata,
    expectedRevision(call.expected),
  );
  return { next: String(nextExpectedRevision) };
}

async function getMetadata({ client }: Stage, call: GetMetadataCall): Promise<Answer> {
  const { metadata, metastreamRevision } = await client.getStreamMetadata(call.stream);
  return { metadata: metadata ?? null, revision: metastreamRevision === undefined ? 'none' : 'some' };
}

function expectedRevision(wanted: WantedRevision | undefined): { expectedRevision?: AppendExpectedRevision } {
  switch (wanted) {
    case undefined:
      return {};
    case 'any':
      return { expectedRevision: ANY };
    case 'no_stream':
      return { expectedRevision: NO_STREAM };
    case 'stream_exists':
      return { expectedRevision: STREAM_EXISTS };
    default:
      return { expectedRevision: BigInt(wanted) };
  }
}

function newNames(): Names {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const places = new Map<string, Position>();
  return {
    idOf(name) {
      const id = ids.get(name) ?? randomUUID();
      ids.set(name, id);
      names.set(id, name);
      return id;
    },
    nameOf: (id) => names.get(id) ?? 'other',
    stands: (name, position) => void places.set(name, position),
    placeOf(place) {
      const { of, plus } = typeof place === 'string' ? { of: place, plus: 0 } : place;
      const position = places.get(of);
      if (position === undefined) throw new Error(`it is not known where ${of} stands`);
      return { commit: position.commit + BigInt(plus), prepare: position.prepare + BigInt(plus) };
    },
    at: (commit) => [...places].find(([, position]) => position.commit === commit)?.[0] ?? 'elsewhere',
  };
}
