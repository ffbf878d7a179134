/** Whom the rows of an import name, where it says so itself and where it does not. */
import { isDeepStrictEqual } from 'node:util';
import type { Attribution } from '../../events/data-set-events.ts';

export const DEMONSTRATION: Attribution = {
  text: 'The demonstration catalogue of Bourse',
  url: null,
  licence: 'CC0-1.0',
};

/** As it was said before; but rows of others are neither of the demonstration nor under its licence. */
export function attributionOf(said: Attribution | null, before: Attribution | null): Attribution | null {
  if (said !== null) return said;
  return isDeepStrictEqual(before, DEMONSTRATION) ? null : before;
}
