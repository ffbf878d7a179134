/** What happens to an account: one stream `account-{handle}`, so that a handle is taken once. No personal data. */
import { z } from 'zod';
import { slug } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';

export const accountEvents = [
  defineEvent({
    type: 'AccountOpened',
    summary: 'An account came to be; keys, mandates and jobs belong to it.',
    data: z.strictObject({ accountId: idSchema('account'), handle: slug }),
    example: { accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy', handle: 'acme-finance' },
  }),
  defineEvent({
    type: 'AccountClosed',
    summary: 'The account was closed; the ledger of what its keys did stays.',
    data: z.strictObject({ accountId: idSchema('account') }),
    example: { accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy' },
  }),
  defineEvent({
    type: 'AccountFrozen',
    summary:
      'Nothing can be done with any key of the account, nor with the links they made, until it is unfrozen.',
    data: z.strictObject({ accountId: idSchema('account'), reason: z.string().max(500) }),
    example: { accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy', reason: 'Its keys were found in a public log.' },
  }),
  defineEvent({
    type: 'AccountUnfrozen',
    summary: 'The keys of a frozen account work as before.',
    data: z.strictObject({ accountId: idSchema('account') }),
    example: { accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy' },
  }),
] as const;

export type AccountFact = FactOf<(typeof accountEvents)[number]>;
