/**
 * The document that one stream leads to, by the projection's own handlers: what a view will show as soon as it has
 * caught up.
 */
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import { handlerOf, type Projection } from '../../projections/projection.ts';

/** Undefined if the stream has no events that make a document. `upTo` is the last revision to take in. */
export async function projectStream<Doc>(
  store: EventStore,
  projection: Projection<Doc>,
  streamId: string,
  key: string,
  upTo = Infinity,
): Promise<Doc | undefined> {
  let document: Doc | undefined;
  for await (const event of store.read(streamId)) {
    if (event.revision > upTo) break;
    const decoded = decodeEvent(event);
    const handler = handlerOf(projection, decoded);
    if (handler !== undefined) document = handler.apply(document, decoded, key);
  }
  return document;
}
