/** Places of which somebody may have so many: taken before what holds one comes to be, freed once it is gone. */
import type { Occurred } from '../../events/event.ts';
import type { PlaceFact, PlaceKind } from '../../events/place-events.ts';
import {
  accept,
  assertNever,
  type Decider,
  type Decision,
  reject,
  SNAPSHOT_EVERY_EVENTS,
} from '../decider.ts';

interface OfOwner {
  readonly kind: PlaceKind;
  readonly owner: string;
}

export interface TakePlace extends OfOwner {
  readonly type: 'TakePlace';
  readonly holder: string;
  /** How many there may be. */
  readonly limit: number;
  /** What is known to stand and may hold no place here: it came to be without one. */
  readonly standing: readonly string[];
}

export interface FreePlaces extends OfOwner {
  readonly type: 'FreePlaces';
  readonly holders: readonly string[];
}

export type PlacesCommand = TakePlace | FreePlaces;

export interface Places {
  /** Since when each holder has its place. */
  readonly held: ReadonlyMap<string, string>;
  /** How many events a load has to read back to the last snapshot. */
  readonly eventsSinceSnapshot: number;
}

export type PlacesRejection = { readonly kind: 'full' };

export const placesDecider: Decider<Places, PlacesCommand, PlaceFact, PlacesRejection> = {
  family: 'places',
  initial: { held: new Map(), eventsSinceSnapshot: 0 },
  evolve,
  decide,
  isSnapshot: (type, data) => type === 'PlacesFreed' && 'held' in data,
  // To take a place that is taken adds nothing.
  remembersCommands: false,
};

/** What {@link placesDecider} names a stream by. */
export function placesId({ kind, owner }: OfOwner): string {
  return `${kind}-${owner}`;
}

function evolve({ held, eventsSinceSnapshot: since }: Places, event: Occurred<PlaceFact>): Places {
  switch (event.type) {
    case 'PlaceTaken':
      return { held: new Map(held).set(event.data.holder, event.at), eventsSinceSnapshot: since + 1 };
    case 'PlacesFreed': {
      const { holders, held: carried } = event.data;
      if (carried === undefined) return { held: without(held, holders), eventsSinceSnapshot: since + 1 };
      return { held: new Map(carried.map((one) => [one.holder, one.since])), eventsSinceSnapshot: 0 };
    }
    default:
      return assertNever(event);
  }
}

function without(held: Places['held'], holders: readonly string[]): Places['held'] {
  const freed = new Set(holders);
  return new Map([...held].filter(([holder]) => !freed.has(holder)));
}

function decide(command: PlacesCommand, places: Places): Decision<PlaceFact, PlacesRejection> {
  const { kind, owner } = command;
  const { held } = places;
  switch (command.type) {
    case 'TakePlace': {
      const { holder, limit, standing } = command;
      const known = new Set([...held.keys(), ...standing]);
      if (known.has(holder)) return accept();
      if (known.size >= limit) return reject({ kind: 'full' });
      return accept({ type: 'PlaceTaken', data: { kind, owner, holder } });
    }
    case 'FreePlaces': {
      const holders = command.holders.filter((holder) => held.has(holder));
      if (holders.length === 0) return accept();
      const isDue = places.eventsSinceSnapshot >= SNAPSHOT_EVERY_EVENTS;
      const data = { kind, owner, holders, ...(isDue && { held: listOf(without(held, holders)) }) };
      return accept({ type: 'PlacesFreed', data });
    }
    default:
      return assertNever(command);
  }
}

function listOf(held: Places['held']): { readonly holder: string; readonly since: string }[] {
  return [...held].map(([holder, since]) => ({ holder, since }));
}
