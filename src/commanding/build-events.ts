/** Makes events of facts: with identity, time, cause, place, and in a chained stream the hash of the predecessor. */
import { weigh } from '../../events/appendable.ts';
import { orderedJson } from '../../events/canonical-json.ts';
import { currentVersion, sealData } from '../../events/catalog.ts';
import { eventIdOf, eventHash } from '../../events/hash-chain.ts';
import type { EventMeta, Fact, PlacedEvent } from '../../events/event.ts';
import { sealEvent } from '../../events/sealed-event.ts';
import type { CommandCall } from './command-call.ts';

export interface EventPlace {
  readonly streamId: string;
  /** The revision that the first fact will follow. */
  readonly revision: number;
  readonly at: string;
  /** The hash of the event before; null where the stream is no chain. */
  readonly headHash: string | null;
}

export interface BuiltEvents<F extends Fact> {
  readonly events: readonly PlacedEvent<F>[];
  /** At least what the events weigh in an append. */
  readonly bytes: number;
  readonly headHash: string | null;
}

/** Nothing is built that could not be read again. */
export function buildEvents<F extends Fact>(
  facts: readonly F[],
  call: CommandCall,
  place: EventPlace,
): BuiltEvents<F> {
  const { streamId, at } = place;
  const events: PlacedEvent<F>[] = [];
  let bytes = 0;
  let { headHash } = place;
  for (const [index, fact] of facts.entries()) {
    const { type, data } = fact;
    const dataText = sealData(fact);
    const revision = place.revision + 1 + index;
    const meta = metaOf(call, headHash);
    const metaText = orderedJson(meta);
    bytes += weigh(dataText, metaText);
    const id = eventIdOf({ streamId, revision, type, at }, dataText, metaText);
    const event = sealEvent<F>(
      { id, type, version: currentVersion(type), streamId, revision, at, data, meta },
      dataText,
      metaText,
    );
    if (headHash !== null) headHash = eventHash(event);
    events.push(event);
  }
  return { events, bytes, headHash };
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

function metaOf(call: CommandCall, prev: string | null): EventMeta {
  const { actor, requestId, commandId, requestHash, causationId, correlationId } = call;
  const meta: Writable<EventMeta> = { actor, requestId, commandId };
  // One after the other: the rest of an object costs many times as much, for each event.
  if (requestHash !== undefined) meta.requestHash = requestHash;
  if (causationId !== undefined) meta.causationId = causationId;
  if (correlationId !== undefined) meta.correlationId = correlationId;
  if (prev !== null) meta.prev = prev;
  return meta;
}
