/**
 * A place among so many, to be had before what holds it is made. Who made nothing of it, or removed it since, is found
 * when no place is left: then their places are freed, and nobody has to give one back.
 */
import { randomUUID } from 'node:crypto';
import { placesDecider, placesId } from '../../commands/places/places.ts';
import type { PlaceKind } from '../../events/place-events.ts';
import type { CommandCall } from '../commanding/command-call.ts';
import type { Services } from './services.ts';

export interface WantedPlace {
  readonly kind: PlaceKind;
  readonly owner: string;
  readonly holder: string;
  readonly limit: number;
  /** What stands as views know it: whatever came to be without a place counts by that. */
  readonly standing: () => Promise<readonly string[]>;
  /** What has become of a holder: asked where no place is left. */
  readonly fateOf: (holder: string) => Promise<Fate>;
}

type Fate = 'never made' | 'stands' | 'gone';

/** Whoever takes a place makes what holds it at once; a request has less time than this. */
const MAKING_MS = 60_000;

/** False where there are as many as there may be. */
export async function takePlace(
  { commands }: Pick<Services, 'commands'>,
  { kind, owner, holder, limit, standing, fateOf }: WantedPlace,
  call: CommandCall,
): Promise<boolean> {
  const id = placesId({ kind, owner });
  const { at, actor, requestId } = call;
  // What is decided depends on nothing but what is held: each try may be a command of its own.
  const cause = (): CommandCall => ({ at, actor, requestId, commandId: randomUUID() });
  const known = await standing();
  const take = async (others: readonly string[]): Promise<boolean> => {
    const command = { type: 'TakePlace', kind, owner, holder, limit, standing: others } as const;
    return (await commands.run(placesDecider, id, command, cause())).kind !== 'rejected';
  };
  if (await take(known)) return true;
  const { state } = await commands.load(placesDecider, id, at);
  const gone = new Set<string>();
  for (const other of new Set([...state.held.keys(), ...known]))
    if (isGone(await fateOf(other), state.held.get(other), at)) gone.add(other);
  if (gone.size === 0) return false;
  await commands.run(placesDecider, id, { type: 'FreePlaces', kind, owner, holders: [...gone] }, cause());
  return take(known.filter((other) => !gone.has(other)));
}

/** What is never made within its time is not made any more. */
function isGone(fate: Fate, takenAt: string | undefined, at: string): boolean {
  if (fate !== 'never made') return fate === 'gone';
  return takenAt !== undefined && Date.parse(takenAt) + MAKING_MS < Date.parse(at);
}
