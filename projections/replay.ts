/** A view in memory: the documents that a history leads to, by the projection's own handlers. For examples and tests. */
import type { RecordedEvent } from '../events/event.ts';
import { handlerOf, type Projection } from './projection.ts';

export function replay<Doc, Event extends RecordedEvent>(
  projection: Pick<Projection<Doc, Event>, 'on'>,
  history: Iterable<Event>,
): ReadonlyMap<string, Doc> {
  const documents = new Map<string, Doc>();
  for (const event of history) {
    const handler = handlerOf<Doc>(projection, event);
    for (const key of handler?.keys(event) ?? []) {
      const document = handler?.apply(documents.get(key), event, key);
      if (document === undefined) documents.delete(key);
      else documents.set(key, document);
    }
  }
  return documents;
}
