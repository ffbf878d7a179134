/** The account that was named on the command line, by id or by handle. */
import { idSchema } from '../../events/ids.ts';
import { findAccount, type FoundAccount } from '../operations/accounts/find-account.ts';
import { Refused } from './exit.ts';
import type { CommandLine } from './with-market.ts';

/** @throws {Refused} there is none */
export async function accountNamed(
  idOrHandle: string,
  { market, call }: Pick<CommandLine, 'market' | 'call'>,
): Promise<FoundAccount> {
  // Ids are found in a view, which is to know of accounts that were opened right before.
  if (idSchema('account').safeParse(idOrHandle).success) await market.catchUp();
  const found = await findAccount(market.services, idOrHandle, call.at);
  if (!found.ok) throw new Refused(found.refusal.message);
  return found;
}
