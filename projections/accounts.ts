/** The accounts by their id, for whoever has the id and needs the handle. */
import { z } from 'zod';
import { defineProjection, touching } from './projection.ts';

const accountSchema = z.strictObject({ accountId: z.string(), handle: z.string(), openedAt: z.string() });
export type AccountDocument = z.output<typeof accountSchema>;

export const accountsProjection = defineProjection<AccountDocument>({
  name: 'accounts',
  version: 1,
  summary: 'The handle of each open account.',
  schema: accountSchema,
  fields: {},
  orders: {},
  index: () => ({}),
  on: {
    AccountOpened: touching(
      ({ data }) => data.accountId,
      (_account, { data, at }) => ({ ...data, openedAt: at }),
    ),
    AccountClosed: touching(
      ({ data }) => data.accountId,
      () => undefined,
    ),
  },
});
