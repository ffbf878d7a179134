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

/** Whatever its documents and events: whoever runs it hands its handlers only what they take. */
export type AnyProjection = Projection<unknown, RecordedEvent>;

/** What the projection does about the event; undefined where that is nothing. */
export function handlerOf<Doc>(
  { on }: Pick<Projection<Doc, RecordedEvent>, 'on'>,
  { type }: RecordedEvent,
): Handler<Doc, RecordedEvent> | undefined {
  return on[type];
}

/** A view that is read by its keys alone leaves out all three. */
const BY_KEY_ALONE = { fields: {}, orders: {}, index: () => ({}) };
type Listing = keyof typeof BY_KEY_ALONE;

export function defineProjection<Doc, Event extends RecordedEvent = DomainEvent>(
  projection: Omit<Projection<Doc, Event>, Listing> &
    (Pick<Projection<Doc, Event>, Listing> | { readonly [Member in Listing]?: never }),
): Projection<Doc, Event> {
  return { ...BY_KEY_ALONE, ...projection, searchable: projection.words !== undefined };
}

/** An event that names the key of a document in this member of its data. */
interface Naming<Name extends string> {
  readonly data: { readonly [Member in Name]: string };
}

/** Most handlers touch one document: `on('jobId', (doc, e) => …)`. */
export function on<Doc, Event extends Naming<Name>, Name extends string>(
  name: Name,
  apply: (doc: NoInfer<Doc> | undefined, event: NoInfer<Event>, key: string) => NoInfer<Doc> | undefined,
): Handler<Doc, Event> {
  return { keys: ({ data }) => [data[name]], apply };
}

/** An event that changes these members of a document. One that is not there stays absent. */
export function changes<Doc extends object, Event extends Naming<Name>, Name extends string>(
  name: Name,
  change: (doc: NoInfer<Doc>, event: NoInfer<Event>) => Partial<NoInfer<Doc>>,
): Handler<Doc, Event> {
  return on(name, (doc, event) => doc && { ...doc, ...change(doc, event) });
}

/** An event that creates a document: `creates('jobId', e => …)`. */
export function creates<Doc, Event extends Naming<Name>, Name extends string>(
  name: Name,
  create: (event: NoInfer<Event>) => NoInfer<Doc>,
): Handler<Doc, Event> {
  return { creates: true, keys: ({ data }) => [data[name]], apply: (_none, event) => create(event) };
}
