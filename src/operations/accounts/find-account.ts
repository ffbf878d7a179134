/** An account by its id or its handle: whoever names one may have either. */
import { accountDecider } from '../../../commands/account/account.ts';
import { slug } from '../../../events/common.ts';
import { idSchema } from '../../../events/ids.ts';
import { accountsProjection } from '../../../projections/accounts.ts';
import { readView } from '../read-view.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { z } from 'zod';

export interface FoundAccount {
  readonly ok: true;
  readonly accountId: string;
  readonly handle: string;
  readonly status: 'open' | 'frozen' | 'closed';
}

/** What an account may be named by. */
export const accountName = z.union([idSchema('account'), slug], {
  error: 'must be the id of an account, such as acc_01kb3j5m8xe3vb0v6yq4s5t7wy, or its handle',
});

/** Handles are found in the account's own stream, ids in the view of accounts. */
export async function findAccount(
  { commands, views }: Pick<Services, 'commands' | 'views'>,
  idOrHandle: string,
  at: string,
): Promise<FoundAccount | Refused> {
  const isId = idSchema('account').safeParse(idOrHandle).success;
  const byId = isId ? await readView(views, accountsProjection, idOrHandle) : undefined;
  const { state } = await commands.load(accountDecider, byId?.handle ?? idOrHandle, at);
  return state.status === 'absent' ? noSuchAccount(idOrHandle) : { ok: true, ...state };
}

function noSuchAccount(idOrHandle: string): Refused {
  return refuse('not_found', `there is no account ${idOrHandle}`);
}
