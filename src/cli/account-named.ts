/** The account that was named on the command line, by id or by handle. */
import { idSchema } from '../../events/ids.ts';
import { accountName, findAccount, type FoundAccount } from '../operations/accounts/find-account.ts';
import { accepted } from './exit.ts';
import { parsedBy } from './options.ts';
import type { CommandLine } from './with-market.ts';

export const accountArgument = ['<account>', 'its id or its handle', parsedBy(accountName)] as const;

/** @throws {Refused} there is none */
export async function accountNamed(
  idOrHandle: string,
  { market, call }: Pick<CommandLine, 'market' | 'call'>,
): Promise<FoundAccount> {
  // Ids are found in a view, which is to know of accounts that were opened right before.
  if (idSchema('account').safeParse(idOrHandle).success) await market.catchUp();
  return accepted(await findAccount(market.services, idOrHandle, call.at));
}
