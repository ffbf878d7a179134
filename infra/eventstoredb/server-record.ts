/** What the server answers to a read or a subscription: an event as it keeps it, or word of how far it has come. */
import { type LogPosition, positionText } from './position.ts';
import { WireReader } from './wire.ts';

export interface ServerRecord {
  /** As text: every request of ours asks for ids that way. */
  readonly uuid: string;
  readonly stream: string;
  readonly revision: number;
  /** The same as `toText` gives of its position. */
  readonly position: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Buffer;
  /** What we keep beside the data. */
  readonly metadata: Buffer;
}

export type ReadAnswer =
  /** Undefined is the place of one that is gone. */
  | { readonly kind: 'event'; readonly record: ServerRecord | undefined }
  /** A subscription was taken up. */
  | { readonly kind: 'confirmed' }
  /** The server has looked so far, others' events included. */
  | { readonly kind: 'looked'; readonly position: LogPosition }
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' }
  /** A stream that does not exist, or something that we did not ask for. */
  | { readonly kind: 'other' };

/** By ReadResp in streams.proto. @throws {RangeError} it is none */
export function readAnswerOf(bytes: Buffer): ReadAnswer {
  const fields = new WireReader(bytes);
  let answer: ReadAnswer = { kind: 'other' };
  while (fields.next()) {
    if (fields.field === 1) {
      answer = { kind: 'event', record: resolvedEvent(fields.message()) };
    } else if (fields.field === 3) {
      answer = { kind: 'looked', position: placeIn(fields.message()) };
    } else {
      answer = WORDS.get(fields.field) ?? answer;
      fields.skip();
    }
  }
  return answer;
}

const WORDS: ReadonlyMap<number, ReadAnswer> = new Map([
  [2, { kind: 'confirmed' }],
  [8, { kind: 'caught-up' }],
  [9, { kind: 'fell-behind' }],
]);

export function recordIn(answer: ReadAnswer): ServerRecord | undefined {
  return answer.kind === 'event' ? answer.record : undefined;
}

/** How much its data and what we keep beside it take. */
export function bytesIn({ data, metadata }: ServerRecord): number {
  return data.length + metadata.length;
}

/** Undefined where it is no JSON. */
export function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** ReadEvent: the event, and where it was reached by a link, which we do not ask for, the link. */
function resolvedEvent(fields: WireReader): ServerRecord | undefined {
  let record: ServerRecord | undefined;
  while (fields.next()) {
    if (fields.field === 1) record = recordedEvent(fields.message());
    else fields.skip();
  }
  return record;
}

function recordedEvent(fields: WireReader): ServerRecord {
  let [uuid, stream, type, contentType] = ['', '', '', ''];
  let [revision, prepare, commit] = ['0', '0', '0'];
  let data = NOTHING;
  let metadata = NOTHING;
  while (fields.next()) {
    switch (fields.field) {
      case 1:
        uuid = textIn(fields.message(), 2);
        break;
      case 2:
        stream = textIn(fields.message(), 3);
        break;
      case 3:
        revision = fields.digits();
        break;
      case 4:
        prepare = fields.digits();
        break;
      case 5:
        commit = fields.digits();
        break;
      case 6: {
        const [name, value] = entry(fields.message());
        if (name === 'type') type = value;
        if (name === 'content-type') contentType = value;
        break;
      }
      case 7:
        metadata = fields.bytes();
        break;
      case 8:
        data = fields.bytes();
        break;
      default:
        fields.skip();
    }
  }
  const position = positionText(commit, prepare);
  return { uuid, stream, revision: Number(revision), position, type, contentType, data, metadata };
}

const NOTHING: Buffer = Buffer.of();

/** Checkpoint, or AllStreamPosition, which is the same. */
export function placeIn(fields: WireReader): LogPosition {
  let [commit, prepare] = [0n, 0n];
  while (fields.next()) {
    if (fields.field === 1) commit = BigInt(fields.digits());
    else if (fields.field === 2) prepare = BigInt(fields.digits());
    else fields.skip();
  }
  return { commit, prepare };
}

/** Of a message that holds little else than this text. */
export function textIn(fields: WireReader, field: number): string {
  let text = '';
  while (fields.next()) {
    if (fields.field === field) text = fields.text();
    else fields.skip();
  }
  return text;
}

/** Of a map of texts. */
function entry(fields: WireReader): readonly [string, string] {
  let [name, value] = ['', ''];
  while (fields.next()) {
    if (fields.field === 1) name = fields.text();
    else if (fields.field === 2) value = fields.text();
    else fields.skip();
  }
  return [name, value];
}
