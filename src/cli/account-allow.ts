/** `bourse account allow`: what the keys that an account makes over the API may have. */
import { Command } from 'commander';
import type { KeyAllowance } from '../../events/keyring-events.ts';
import { setKeyAllowance } from '../operations/accounts/set-key-allowance.ts';
import { type Scope, SCOPES } from '../operations/operation.ts';
import { accountArgument, accountNamed } from './account-named.ts';
import { Refused, WrongUsage } from './exit.ts';
import {
  actionText,
  agencyText,
  agentText,
  centsText,
  countText,
  type JsonOption,
  listOf,
  momentText,
  parsedBy,
  scopeText,
} from './options.ts';
import { printJson, printLine } from './print.ts';
import { describeWrong, termsOf, type TermsOptions } from './terms-options.ts';
import { type CommandLine, onMarket } from './with-market.ts';

interface AllowOptions extends TermsOptions, JsonOption {
  readonly scopes?: Scope[];
  readonly maxKeys: number;
  readonly keyExpires?: string;
  readonly nothingSaid?: true;
}

const EXAMPLE = `
Twenty keys, USD 50.00 each time and USD 1,000.00 a month for all of them together:
  bourse account allow acme-finance --scopes trials:create,jobs:read --max-keys 20 \\
    --allow trial:create --max-per-transaction 5000 --max-monthly 100000`;

export function allowCommand(): Command {
  return new Command('allow')
    .description('say what keys may have that the account makes over the API (keys:manage)')
    .argument(...accountArgument)
    .option('--scopes <a,b>', `what they may call: ${SCOPES.join(', ')}`, listOf(scopeText, 16))
    .option('--max-keys <number>', 'how many there may be', parsedBy(countText), 100)
    .option('--max-per-transaction <cents>', 'the most one spend may cost', parsedBy(centsText), 0)
    .option('--max-monthly <cents>', 'the most all of them may cost in a month', parsedBy(centsText), 0)
    .option('--allow <actions>', 'the actions they may spend on', listOf(actionText, 32), [])
    .option('--expires <time>', 'no mandate ends later', parsedBy(momentText))
    .option('--valid-from <time>', 'no mandate begins earlier', parsedBy(momentText))
    .option('--max-spends <number>', 'spends of all of them in a month', parsedBy(countText))
    .option('--agencies <slugs>', 'only these agencies may be paid', listOf(agencyText, 200))
    .option('--agents <slugs>', 'only these agents may be hired', listOf(agentText, 200))
    .option('--key-expires <time>', 'no key ends later', parsedBy(momentText))
    .option('--nothing-said', 'take it back: a key gives what it has itself')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLE)
    .action(onMarket(allow));
}

async function allow(line: CommandLine, account: string, options: AllowOptions): Promise<void> {
  const { accountId, handle } = await accountNamed(account, line);
  const allowance = allowanceOf(options);
  const fieldErrors = await setKeyAllowance(line.market.services, accountId, allowance, line.call);
  if (fieldErrors.length > 0) throw new Refused(describeWrong(fieldErrors));
  if (options.json) return printJson({ accountId, handle, allowance });
  printLine(
    allowance === null
      ? `Keys of ${handle} give what they have themselves.`
      : `${handle} (${accountId}) may have up to ${allowance.maxKeys} keys that were made over the API.`,
  );
}

function allowanceOf(options: AllowOptions): KeyAllowance | null {
  if (options.nothingSaid) return null;
  const { scopes, maxKeys } = options;
  if (scopes === undefined) throw new WrongUsage('--scopes is missing, or --nothing-said: see --help');
  if (maxKeys > 1_000) throw new WrongUsage('--max-keys must be at most 1000');
  const terms = termsOf(options);
  return { scopes, terms, expiresAt: options.keyExpires ?? null, maxKeys };
}
