/**
 * A projection says how events become the documents of one view. It is pure: time and identity come with the events,
 * so that a rebuild yields the same documents, byte for byte.
 */
import type { z } from 'zod';
import type { DomainEvent } from '../events/catalog.ts';
import type { RecordedEvent } from '../events/event.ts';
import type { CollectionSpec, FieldValue } from './view-store.ts';

/**
 * How one type of event changes the view. `keys` names the documents that the event touches; `apply` answers with the
 * document as it is after the event, a new value, or undefined to remove it. These are methods, so that projections
 * of different documents fit into one list: their runner hands each only documents which that projection made.
 */
export interface Handler<Doc, Event> {
  /** Whether there are no such documents before the event: then none is looked for. One that is there is replaced. */
  readonly creates?: boolean;
  keys(event: Event): readonly string[];
  apply(doc: Doc | undefined, event: Event, key: string): Doc | undefined;
}

export type Handlers<Doc, Event extends RecordedEvent = DomainEvent> = {
  readonly [T in Event['type']]?: Handler<Doc, Extract<Event, { type: T }>>;
};

export interface Projection<Doc, Event extends RecordedEvent = DomainEvent> extends CollectionSpec {
  /** One sentence: what the view answers. */
  readonly summary: string;
  readonly schema: z.ZodType<Doc>;
  readonly on: Handlers<Doc, Event>;
  /** The values of the declared index fields. */
  index(doc: Doc): Readonly<Record<string, FieldValue>>;
  /** The texts a search finds the document by, most telling first: the name, what else tells, the rest. */
  words?(doc: Doc): readonly string[];
}

export function defineProjection<Doc, Event extends RecordedEvent = DomainEvent>(
  projection: Projection<Doc, Event>,
): Projection<Doc, Event> {
  return { ...projection, searchable: projection.words !== undefined };
}

/**
 * Most handlers touch one document: `on(e => e.data.jobId, (doc, e) => …)`.
 */
export function on<Doc, Event>(
  key: (event: NoInfer<Event>) => string,
  apply: (doc: NoInfer<Doc> | undefined, event: NoInfer<Event>, key: string) => NoInfer<Doc> | undefined,
): Handler<Doc, Event> {
  return { keys: (event) => [key(event)], apply };
}

/** An event that creates a document: `creates(e => e.data.jobId, e => …)`. */
export function creates<Doc, Event>(
  key: (event: NoInfer<Event>) => string,
  create: (event: NoInfer<Event>) => NoInfer<Doc>,
): Handler<Doc, Event> {
  return { creates: true, keys: (event) => [key(event)], apply: (_none, event) => create(event) };
}
