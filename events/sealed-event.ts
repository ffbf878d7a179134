/**
 * Events that this process has made. Their data keep to today's schema; and until a store has them, the canonical texts
 * are at hand of which their id, their hash and their row in the log are made, which is a good part of what an append
 * costs. A class keeps the texts, so that they go as soon as the event does, which a weak map was much slower at; and
 * what is spread from such an event is an event like any other: whoever changes something leaves the texts behind.
 */
import { hasHalfCharacter } from './canonical-json.ts';
import type { EventMeta, Fact, NewEvent, PlacedEvent, RecordedEvent } from './event.ts';

/** The RFC 8785 texts of an event's data and meta; null for one that has none. */
export interface SealedTexts {
  readonly data: string | null;
  readonly meta: string | null;
}

class SealedEvent<F extends Fact = Fact> implements PlacedEvent<F> {
  readonly id: string;
  readonly type: F['type'];
  readonly version: number;
  readonly streamId: string;
  readonly revision: number;
  readonly at: string;
  readonly data: F['data'];
  readonly meta: EventMeta;
  readonly #texts: SealedTexts | null;

  constructor(
    { id, type, version, streamId, revision, at, data, meta }: PlacedEvent<F>,
    texts: SealedTexts | null,
  ) {
    this.id = id;
    this.type = type;
    this.version = version;
    this.streamId = streamId;
    this.revision = revision;
    this.at = at;
    this.data = data;
    this.meta = meta;
    this.#texts = texts;
  }

  static textsOf(event: NewEvent): SealedTexts | null {
    return #texts in event ? event.#texts : null;
  }
}

class RecordedSealedEvent extends SealedEvent implements RecordedEvent {
  readonly position: string;

  constructor(event: RecordedEvent) {
    super(event, null);
    this.position = event.position;
  }
}

/** The event with what orderedJson made of its data and of its meta. */
export function sealEvent<F extends Fact>(
  event: PlacedEvent<F>,
  dataText: string,
  metaText: string,
): PlacedEvent<F> {
  return new SealedEvent(event, { data: canonical(dataText), meta: canonical(metaText) });
}

/** Half a surrogate pair has no RFC 8785 text. Older programs let it in, and it goes from their events into new ones. */
function canonical(text: string): string | null {
  return hasHalfCharacter(text) ? null : text;
}

/** Null for an event that this process did not make, or that a store has by now. */
export function sealedTexts(event: NewEvent): SealedTexts | null {
  return SealedEvent.textsOf(event);
}

/** The event as a store gives it back from this place: sealed if it was, but without its texts, which are long. */
export function recordEvent(
  event: NewEvent,
  { streamId, revision, position }: Pick<RecordedEvent, 'streamId' | 'revision' | 'position'>,
): RecordedEvent {
  const { id, type, version, at, data, meta } = event;
  const plain = { id, type, version, streamId, revision, at, data, meta, position };
  return isSealed(event) ? new RecordedSealedEvent(plain) : plain;
}

/** Whether this process made it, so that its data keep to today's schema. */
export function isSealed(event: NewEvent): boolean {
  return event instanceof SealedEvent;
}
