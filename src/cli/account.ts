/** `bourse account`: the accounts that there are, one of them whole, freezing it, and what its keys may give. */
import { Command } from 'commander';
import { type AccountDocument, accountsProjection } from '../../projections/accounts.ts';
import { type ApiKeyDocument, apiKeysProjection } from '../../projections/api-keys.ts';
import { freezeAccount } from '../operations/accounts/freeze-account.ts';
import { allowCommand } from './account-allow.ts';
import { accountArgument, accountNamed } from './account-named.ts';
import { accepted } from './exit.ts';
import { type JsonOption, parsedBy, reasonText } from './options.ts';
import { printJson, printLine, printTable } from './print.ts';
import { type CommandLine, onMarket, sayOnceSeen } from './with-market.ts';
import { everyRow } from '../operations/walk-view.ts';

const MOST_SHOWN = 500;

export function accountCommand(): Command {
  return new Command('account')
    .description('show accounts, say what their keys may give, and freeze what a thief may use')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(allowCommand())
    .addCommand(freezeCommand())
    .addCommand(unfreezeCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description(`the accounts by their handles, the first ${MOST_SHOWN}`)
    .option('--json', 'print JSON')
    .action(onMarket(list));
}

async function list({ market }: CommandLine, { json }: JsonOption): Promise<void> {
  await market.catchUp();
  const { views } = market.services;
  const byHandle = { filter: {}, order: 'handle' };
  const accounts = await everyRow<AccountDocument>(views, accountsProjection.name, byHandle, MOST_SHOWN);
  if (json) return printJson(accounts);
  printTable(
    ['account', 'handle', 'opened', 'state'],
    accounts.map(({ accountId, handle, openedAt, frozenAt }) => [
      accountId,
      handle,
      openedAt,
      frozenAt === null ? 'open' : `frozen ${frozenAt}`,
    ]),
  );
}

function showCommand(): Command {
  return new Command('show')
    .description('one account with its keys')
    .argument(...accountArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nFor example:\n  bourse account show acme-finance')
    .action(onMarket(show));
}

async function show(line: CommandLine, account: string, { json }: JsonOption): Promise<void> {
  await line.market.catchUp();
  const { accountId, handle, status } = await accountNamed(account, line);
  const { views } = line.market.services;
  const itsOldest = { filter: { accountId }, order: 'createdAt' };
  const keys = await everyRow<ApiKeyDocument>(views, apiKeysProjection.name, itsOldest, MOST_SHOWN);
  if (json) return printJson({ accountId, handle, status, keys });
  printLine(`${handle} (${accountId}) is ${status}.`);
  printTable(
    ['key', 'name', 'ends in', 'scopes', 'made', 'made by'],
    keys.map((key) => [key.keyId, key.name, key.hint, key.scopes.join(','), key.createdAt, key.madeBy]),
  );
}

function freezeCommand(): Command {
  return new Command('freeze')
    .description('stop everything that is done with the keys of an account, and the links they made')
    .argument(...accountArgument)
    .option('--reason <text>', 'kept with the event', parsedBy(reasonText), 'frozen from the command line')
    .option('--json', 'print JSON')
    .action(
      onMarket((line, account: string, options: JsonOption & { reason: string }) =>
        change(line, account, { type: 'FreezeAccount', reason: options.reason }, options),
      ),
    );
}

function unfreezeCommand(): Command {
  return new Command('unfreeze')
    .description('let the keys of a frozen account work as before')
    .argument(...accountArgument)
    .option('--json', 'print JSON')
    .action(
      onMarket((line, account: string, options: JsonOption) =>
        change(line, account, { type: 'UnfreezeAccount' }, options),
      ),
    );
}

async function change(
  line: CommandLine,
  account: string,
  command: Parameters<typeof freezeAccount>[2],
  { json }: JsonOption,
): Promise<void> {
  const { market, call } = line;
  const named = await accountNamed(account, line);
  const changed = await freezeAccount(market.services, named.handle, command, call);
  const { accountId, handle, status } = accepted(changed).account;
  await sayOnceSeen(market, () => {
    if (json) return printJson({ accountId, handle, status });
    printLine(`${handle} (${accountId}) is ${status}.`);
  });
}
