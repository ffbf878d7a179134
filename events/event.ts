/**
 * A fact that happened, and the envelope it is kept in. Facts are defined once, with their schema, version and
 * one sentence that says when they happen and who cares; the catalogue (catalog.ts) is made of these definitions.
 */
import type { z } from 'zod';

/** Who caused an event, and through which request. Kept beside the data, never shown to the public. */
export interface EventMeta {
  /** `key:key_…`, `cli`, `checkout`, `reaction:…`, `scheduler`, `meter`, `seed`. */
  readonly actor: string;
  readonly requestId: string;
  /** The command that the event answers; a stream answers each command once. */
  readonly commandId: string;
  /**
   * A digest of the request that carried the command, where a client could send another under the same key: SHA-256, or
   * HMAC-SHA-256 by a key of the account where the request holds text that is encrypted in the event.
   */
  readonly requestHash?: string;
  /** The event that led to this one, if a reaction did. */
  readonly causationId?: string;
  /** The first request of the whole flow. */
  readonly correlationId?: string;
  /** SHA-256 of the predecessor in a chained stream (hash-chain.ts). */
  readonly prev?: string;
}

/** What a decision yields: the kind of thing that happened and its data. */
export interface Fact {
  readonly type: string;
  readonly data: object;
}

/** An event ready to be appended: a fact with its identity, time and cause. */
export interface NewEvent<F extends Fact = Fact> {
  readonly id: string;
  readonly type: F['type'];
  readonly version: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  readonly data: F['data'];
  readonly meta: EventMeta;
}

/** An event in its place in a stream. */
export interface PlacedEvent<F extends Fact = Fact> extends NewEvent<F> {
  readonly streamId: string;
  /** The place in the stream, from 0, without gaps. */
  readonly revision: number;
}

/** An event as a store gives it back. `position` is opaque and sorts in commit order over the whole store. */
export interface RecordedEvent<F extends Fact = Fact> extends PlacedEvent<F> {
  readonly position: string;
}

/** What evolves a state: the fact, and of its envelope what a state may depend on. */
export type Occurred<F extends Fact> = F extends Fact
  ? { readonly type: F['type']; readonly data: F['data']; readonly at: string }
  : never;

export interface EventDefinition<
  Type extends string = string,
  Schema extends z.ZodType<object> = z.ZodType<object>,
> {
  readonly type: Type;
  /** The version written today; older ones are upcast when read (upcasters.ts). */
  readonly version: number;
  /** One sentence: when it happens and who cares. */
  readonly summary: string;
  readonly data: Schema;
  readonly example: z.output<Schema>;
}

/** One that names no version is of its first. */
export function defineEvent<const Type extends string, Schema extends z.ZodType<object>>(
  definition: Omit<EventDefinition<Type, Schema>, 'version'> & { readonly version?: number },
): EventDefinition<Type, Schema> {
  return { version: 1, ...definition };
}

/** The facts that a family of definitions describes, as a union. */
export type FactOf<D> =
  D extends EventDefinition<infer Type, infer Schema>
    ? { readonly type: Type; readonly data: z.output<Schema> }
    : never;
