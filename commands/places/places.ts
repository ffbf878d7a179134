/** Places of which somebody may have so many: taken before what holds one comes to be, freed once it is gone. */
import type { Occurred } from '../../events/event.ts';
import type { PlaceFact, PlaceKind } from '../../events/place-events.ts';
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';

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

/** Since when each holder has its place. */
export type Places = ReadonlyMap<string, string>;

export type PlacesRejection = { readonly kind: 'full' };

export const placesDecider: Decider<Places, PlacesCommand, PlaceFact, PlacesRejection> = {
  family: 'places',
  initial: new Map(),
  evolve,
  decide,
  // To take a place that is taken adds nothing.
  remembersCommands: false,
};

/** What {@link placesDecider} names a stream by. */
export function placesId({ kind, owner }: OfOwner): string {
  return `${kind}-${owner}`;
}

function evolve(places: Places, event: Occurred<PlaceFact>): Places {
  switch (event.type) {
    case 'PlaceTaken':
      return new Map(places).set(event.data.holder, event.at);
    case 'PlacesFreed': {
      const freed = new Set(event.data.holders);
      return new Map([...places].filter(([holder]) => !freed.has(holder)));
    }
    default:
      return assertNever(event);
  }
}

function decide(command: PlacesCommand, places: Places): Decision<PlaceFact, PlacesRejection> {
  const { kind, owner } = command;
  switch (command.type) {
    case 'TakePlace': {
      const { holder, limit, standing } = command;
      if (places.has(holder)) return accept();
      const held = new Set([...places.keys(), ...standing]);
      if (held.has(holder)) return accept();
      if (held.size >= limit) return reject({ kind: 'full' });
      return accept({ type: 'PlaceTaken', data: { kind, owner, holder } });
    }
    case 'FreePlaces': {
      const holders = command.holders.filter((holder) => places.has(holder));
      return holders.length === 0
        ? accept()
        : accept({ type: 'PlacesFreed', data: { kind, owner, holders } });
    }
    default:
      return assertNever(command);
  }
}
