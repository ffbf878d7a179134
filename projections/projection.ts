/**
 * A projection says how events become the documents of one view. It is pure: time and identity come with the events,
 * so that a rebuild yields the same documents, byte for byte.
 */
import type { z } from 'zod';
import type { DomainEvent, EventType } from '../events/catalog.ts';
import type { CollectionSpec, FieldValue } from './view-store.ts';

/** How one type of event changes the view. */
export interface Handler<Doc, Event> {
  /** The keys of the documents that the event touches. */
  readonly keys: (event: Event) => readonly string[];
  /** The document as it is after the event; undefined removes it. */
  readonly apply: (doc: Doc | undefined, event: Event, key: string) => Doc | undefined;
}

export type Handlers<Doc> = { readonly [T in EventType]?: Handler<Doc, Extract<DomainEvent, { type: T }>> };

export interface Projection<Doc> extends CollectionSpec {
  /** One sentence: what the view answers. */
  readonly summary: string;
  readonly schema: z.ZodType<Doc>;
  readonly on: Handlers<Doc>;
  /** The values of the declared index fields. */
  readonly index: (doc: Doc) => Readonly<Record<string, FieldValue>>;
  /** The words a search finds the document by; none when absent. */
  readonly words?: (doc: Doc) => readonly string[];
}

export function defineProjection<Doc>(projection: Projection<Doc>): Projection<Doc> {
  return projection;
}

/**
 * Most handlers touch one document: `touching(e => e.data.jobId, (doc, e) => …)`.
 */
export function touching<Doc, Event>(
  key: (event: Event) => string,
  apply: Handler<Doc, Event>['apply'],
): Handler<Doc, Event> {
  return { keys: (event) => [key(event)], apply };
}
