/** The accounts whose keys do nothing for now. Asked for with nearly every key that is presented: it holds few. */
import { z } from 'zod';
import { defineProjection, on } from './projection.ts';

const frozenAccountSchema = z.strictObject({
  accountId: z.string(),
  reason: z.string(),
  frozenAt: z.string(),
});
export type FrozenAccountDocument = z.output<typeof frozenAccountSchema>;

export const frozenAccountsProjection = defineProjection<FrozenAccountDocument>({
  name: 'frozen-accounts',
  version: 1,
  summary: 'The accounts that are frozen.',
  schema: frozenAccountSchema,
  on: {
    AccountFrozen: on('accountId', (_none, { data, at }) => ({ ...data, frozenAt: at })),
    AccountUnfrozen: on('accountId', () => undefined),
  },
});
