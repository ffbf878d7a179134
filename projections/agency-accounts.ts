/** The accounts that are an agency's own: those that ever had a key which acts for it. What it buys from itself proves nothing. */
import { z } from 'zod';
import { defineProjection, type Handler } from './projection.ts';

const agencyAccountsSchema = z.strictObject({ accounts: z.array(z.string()) });
export type AgencyAccountsDocument = z.output<typeof agencyAccountsSchema>;

interface OfKey {
  readonly data: { readonly agency: string | null; readonly accountId: string };
}

const joining: Handler<AgencyAccountsDocument, OfKey> = {
  keys: ({ data: { agency } }) => (agency === null ? [] : [agency]),
  apply(known, { data: { accountId } }) {
    const accounts = known?.accounts ?? [];
    return accounts.includes(accountId) ? known : { accounts: [...accounts, accountId] };
  },
};

export const agencyAccountsProjection = defineProjection<AgencyAccountsDocument>({
  name: 'agency-accounts',
  version: 1,
  summary: 'The accounts that have, or had, keys which act for an agency.',
  schema: agencyAccountsSchema,
  on: { ApiKeyIssued: joining, ApiKeyAmended: joining },
});
