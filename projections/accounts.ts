/** The accounts by their id, for whoever has the id and needs the handle. */
import { z } from 'zod';
import { changes, defineProjection, on } from './projection.ts';

const accountSchema = z.strictObject({
  accountId: z.string(),
  handle: z.string(),
  openedAt: z.string(),
  frozenAt: z.string().nullable(),
  frozenBecause: z.string().nullable(),
});
export type AccountDocument = z.output<typeof accountSchema>;

export const accountsProjection = defineProjection<AccountDocument>({
  name: 'accounts',
  version: 2,
  summary: 'The handle of each open account.',
  schema: accountSchema,
  fields: { handle: 'text' },
  orders: { handle: [{ field: 'handle', direction: 'asc' }] },
  index: ({ handle }) => ({ handle }),
  on: {
    AccountOpened: on('accountId', (_account, { data, at }) => ({
      ...data,
      openedAt: at,
      frozenAt: null,
      frozenBecause: null,
    })),
    AccountFrozen: changes('accountId', (_, { data, at }) => ({ frozenAt: at, frozenBecause: data.reason })),
    AccountUnfrozen: changes('accountId', () => ({ frozenAt: null, frozenBecause: null })),
    AccountClosed: on('accountId', () => undefined),
  },
});
