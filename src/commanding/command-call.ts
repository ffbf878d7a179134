/** How a command arrives at the runner, and what comes of it. */
import type { Fact, PlacedEvent } from '../../events/event.ts';

export interface CommandCall {
  /** Now, RFC 3339. Within one stream the runner never lets time run backwards. */
  readonly at: string;
  /** `key:key_…`, `cli`, `checkout`, `reaction:…`, `scheduler`, `seed`. */
  readonly actor: string;
  readonly requestId: string;
  /** A stream answers each command once: the same id again yields the first outcome. */
  readonly commandId: string;
  /** A digest of the request; another one under the same command id is a mismatch. */
  readonly requestHash?: string;
  /** What the release before would have written as `requestHash`: the same request came to it under the same id. */
  readonly formerRequestHash?: string;
  readonly causationId?: string;
  readonly correlationId?: string;
  /** The stream hardly exists yet: it is decided upon without a look, and the append tells if that was wrong. */
  readonly beginsStream?: true;
  /** When an answer is wanted, by `performance.now()`: from then on whoever asked is told that there is none. */
  readonly untilMs?: number;
  /** Remember commands at least back to this revision, however long ago it was written. */
  readonly remembersFrom?: number;
}

export type PreviousOutcome<F extends Fact> =
  /** The command was handled before: what it added then. */
  | {
      readonly kind: 'replayed';
      readonly events: readonly PlacedEvent<F>[];
      readonly revision: number;
      /** Of the last of them in the log. */
      readonly position: string;
    }
  /** The id was used for another request. */
  | { readonly kind: 'mismatch' };

export type CommandOutcome<State, F extends Fact, Rejection> =
  | {
      readonly kind: 'accepted';
      /** The state right after this command. */
      readonly state: State;
      /** What it added; empty when there was nothing to do. */
      readonly events: readonly PlacedEvent<F>[];
      /** The revision of the stream after it. */
      readonly revision: number;
      /** Where the log stands with it; null when nothing was added. */
      readonly position: string | null;
      /** Whether what follows from it was committed with it. */
      readonly hasDependent: boolean;
    }
  | PreviousOutcome<F>
  | { readonly kind: 'rejected'; readonly rejection: Rejection; readonly state: State };

/** Too many commands wait for one stream: try again in a moment. Nothing was done. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** Others kept writing first until the tries were used up. Nothing was done. */
export class Contended extends Error {
  override readonly name = 'Contended';
}
