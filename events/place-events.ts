/**
 * Who holds one of the places that there are of a kind: one stream `places-{kind}-{owner}`. How many somebody may have is
 * decided there, by one stream, since a view that counts them may be behind.
 */
import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';

export const PLACE_KINDS = ['webhook-endpoints', 'listings'] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

const ofOwner = {
  kind: z.enum(PLACE_KINDS),
  /** The account of endpoints, the agency of listings. */
  owner: z.string().min(1).max(80),
};
/** An endpoint's id; `agents/{slug}` or `bundles/{slug}`. */
const holder = z.string().min(1).max(100);
const example = { kind: 'webhook-endpoints' as const, owner: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy' };
const exampleHolder = 'whe_01kb3j5m8xe3vb0v6yq4s5t7wp';

export const placeEvents = [
  defineEvent({
    type: 'PlaceTaken',
    summary: 'Somebody is about to have one more of what there may be so many of, and may.',
    data: z.strictObject({ ...ofOwner, holder }),
    example: { ...example, holder: exampleHolder },
  }),
  defineEvent({
    type: 'PlacesFreed',
    summary:
      'What held these places is gone, or never came to be; found when a place was wanted and none was left.',
    data: z.strictObject({
      ...ofOwner,
      holders: z.array(holder).min(1),
      /** Every so many events: who holds a place after this one and since when, so that nothing before has to be read. */
      held: z.array(z.strictObject({ holder, since: timestamp })).optional(),
    }),
    example: { ...example, holders: [exampleHolder] },
  }),
] as const;

export type PlaceFact = FactOf<(typeof placeEvents)[number]>;
