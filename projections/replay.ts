/** A view in memory: the documents that a history leads to, by the projection's own handlers. For examples and tests. */
import type { RecordedEvent } from '../events/event.ts';
import type { Handler, Projection } from './projection.ts';

export function replay<Doc, Event extends RecordedEvent>(
  projection: Pick<Projection<Doc, Event>, 'on'>,
  history: Iterable<Event>,
): ReadonlyMap<string, Doc> {
  // Handlers are listed by the very type of event that they take.
  const handlers = projection.on as Readonly<Record<string, Handler<Doc, Event> | undefined>>;
  const documents = new Map<string, Doc>();
  for (const event of history) {
    const handler = handlers[event.type];
    for (const key of handler?.keys(event) ?? []) {
      const document = handler?.apply(documents.get(key), event, key);
      if (document === undefined) documents.delete(key);
      else documents.set(key, document);
    }
  }
  return documents;
}
