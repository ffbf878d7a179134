/** What the calls of a scenario are made with. */
import type { EventStoreDBClient, Position } from '@eventstore/db-client';
import type { Answer, Call, Place } from './scenario.ts';

export interface Waits {
  /** Resolves when nothing more is to be expected of what was asked before; `heard` counts what was said of it. */
  readonly quiet: (client: EventStoreDBClient, heard: () => number) => Promise<unknown>;
  /** Resolves when a call is taken to have no answer. `recorded` is the answer of the recording that is played. */
  readonly patience: (client: EventStoreDBClient, recorded: Answer) => Promise<unknown>;
}

/** One scenario's names: of the events' ids, and of where they stand in the log. */
export interface Names {
  readonly idOf: (name: string) => string;
  readonly nameOf: (id: string) => string;
  readonly stands: (name: string, position: Position) => void;
  readonly placeOf: (place: Place) => Position;
  /** The event whose record has this commit position. */
  readonly at: (commit: bigint) => string;
}

/** What a call of a scenario is made with. */
export interface Stage {
  readonly client: EventStoreDBClient;
  readonly names: Names;
  readonly waits: Waits;
}

/** Makes any call but a subscription; a refusal is an answer. */
export type MakeCall = (stage: Stage, call: Exclude<Call, { do: 'subscribe' }>) => Promise<Answer>;
