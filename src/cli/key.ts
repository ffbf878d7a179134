/** `bourse key`: make, list and revoke API keys; key-changes.ts has what is changed about them. */
import { Command, Option } from 'commander';
import type { ApiKeyDocument } from '../../projections/api-keys.ts';
import { accountsProjection } from '../../projections/accounts.ts';
import { apiKeysProjection } from '../../projections/api-keys.ts';
import { idSchema } from '../../events/ids.ts';
import { accountName } from '../operations/accounts/find-account.ts';
import { createKey } from '../operations/keys/create-key.ts';
import { type LeftBehind, leftBehind } from '../operations/keys/left-behind.ts';
import { unworkable } from '../operations/keys/unworkable.ts';
import { revokeKey } from '../operations/keys/revoke-key.ts';
import { type Scope, SCOPES } from '../operations/operation.ts';
import { readView } from '../operations/read-view.ts';
import { accountNamed } from './account-named.ts';
import { accepted, Refused } from './exit.ts';
import { keyChangeCommands } from './key-changes.ts';
import {
  actionText,
  agencyText,
  agentText,
  centsText,
  countText,
  type JsonOption,
  listOf,
  momentText,
  nameText,
  parsedBy,
  reasonText,
  scopeText,
} from './options.ts';
import { printJson, printLine, printTable } from './print.ts';
import { describeWrong, termsOf, type TermsOptions } from './terms-options.ts';
import { type CommandLine, onMarket, sayOnceSeen } from './with-market.ts';
import { plural } from '../web/site/words.ts';
import { everyRow } from '../operations/walk-view.ts';

type Views = CommandLine['market']['services']['views'];

export function keyCommand(): Command {
  const key = new Command('key')
    .description('make, list, change and revoke API keys')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
  for (const command of keyChangeCommands()) key.addCommand(command);
  return key;
}

interface CreateOptions extends TermsOptions, JsonOption {
  readonly account: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly agency?: string;
  readonly keyExpires?: string;
}

const CREATE_EXAMPLE = `
Up to USD 50.00 each and USD 200.00 a month on trials:
  bourse key create --account acme --name buyer --scopes trials:create,jobs:read \\
    --allow trial:create --max-per-transaction 5000 --max-monthly 20000`;

function createCommand(): Command {
  return new Command('create')
    .description('make a key with its spending mandate; the key is shown once')
    .requiredOption(
      '--account <account>',
      'the account it belongs to, by id or handle; opened if there is none of that handle',
      parsedBy(accountName),
    )
    .requiredOption('--name <name>', 'what the key is for, in your words', parsedBy(nameText))
    .requiredOption('--scopes <a,b>', `what it may call: ${SCOPES.join(', ')}`, listOf(scopeText, 16))
    .option('--max-per-transaction <cents>', 'the most one spend may cost, in cents', parsedBy(centsText), 0)
    .option(
      '--max-monthly <cents>',
      'the most a calendar month (UTC) may cost, in cents',
      parsedBy(centsText),
      0,
    )
    .addOption(
      new Option('--allow <actions>', 'the actions it may spend on, such as trial:create')
        .argParser(listOf(actionText, 32))
        .default([], 'none'),
    )
    .option('--expires <time>', 'when the mandate ends; never if absent', parsedBy(momentText))
    .option('--valid-from <time>', 'when the mandate begins; at once if absent', parsedBy(momentText))
    .option('--max-spends <number>', 'spends in a calendar month; any number if absent', parsedBy(countText))
    .option('--agencies <slugs>', 'only these agencies may be paid; any if absent', listOf(agencyText, 200))
    .option('--agents <slugs>', 'only these agents may be hired; any if absent', listOf(agentText, 200))
    .option('--agency <slug>', 'the agency it fulfils jobs for', parsedBy(agencyText))
    .option('--key-expires <time>', 'when the key itself ends; never if absent', parsedBy(momentText))
    .option('--json', 'print JSON')
    .addHelpText('after', CREATE_EXAMPLE)
    .action(onMarket(create, { isMade: true }));
}

async function create({ market, call }: CommandLine, options: CreateOptions): Promise<void> {
  const { name, scopes, agency = null, keyExpires: expiresAt = null } = options;
  const terms = termsOf(options);
  const fieldErrors = await unworkable(market.services, { scopes, agency, expiresAt, terms }, call.at);
  if (fieldErrors.length > 0) {
    throw new Refused(`this key could not work: ${describeWrong(fieldErrors)}`);
  }
  const account = await handleOf(options.account, { market, call });
  const wanted = { account, name, scopes, agency, terms, expiresAt };
  const { accountId, keyId, key } = accepted(await createKey(market.services, wanted, call)).created;
  // It works as soon as it is shown.
  await sayOnceSeen(market, () => {
    if (options.json) return printJson({ accountId, keyId, key });
    printLine(`Account  ${account} (${accountId})`);
    printLine(`Key id   ${keyId}`);
    printLine(`Key      ${key}`);
    printLine('The key is not shown again: only its SHA-256 is kept.');
  });
}

/** The handle of an account that is named by its id; a handle may be a new one. */
async function handleOf(account: string, line: Pick<CommandLine, 'market' | 'call'>): Promise<string> {
  if (!idSchema('account').safeParse(account).success) return account;
  return (await accountNamed(account, line)).handle;
}

function listCommand(): Command {
  return new Command('list')
    .description('the keys of every account, or of one, without their secrets')
    .option('--account <account>', 'only those of this account, by id or handle', parsedBy(accountName))
    .option('--json', 'print JSON')
    .action(onMarket(list));
}

interface ListOptions extends JsonOption {
  readonly account?: string;
}

async function list({ market, call }: CommandLine, { account, json }: ListOptions): Promise<void> {
  await market.catchUp();
  const { views } = market.services;
  const filter =
    account === undefined ? {} : { accountId: (await accountNamed(account, { market, call })).accountId };
  const query = { filter, order: 'createdAt' };
  const keys = await withHandles(views, await everyRow<ApiKeyDocument>(views, apiKeysProjection.name, query));
  if (json) return printJson(keys);
  printTable(
    ['key', 'account', 'handle', 'name', 'ends in', 'scopes', 'made', 'state'],
    keys.map((key) => [
      key.keyId,
      key.accountId,
      key.handle ?? '(closed)',
      key.name,
      key.hint,
      key.scopes.join(','),
      key.createdAt,
      stateOf(key, call.at),
    ]),
  );
}

function stateOf({ revokedAt, frozenAt, expiresAt }: ApiKeyDocument, at: string): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (frozenAt !== null) return `frozen ${frozenAt}`;
  if (expiresAt !== null && expiresAt <= at) return `expired ${expiresAt}`;
  return expiresAt === null ? 'active' : `active until ${expiresAt}`;
}

/** The handle of each key's account; null once that is closed. */
async function withHandles(
  views: Views,
  keys: readonly ApiKeyDocument[],
): Promise<(ApiKeyDocument & { readonly handle: string | null })[]> {
  const handles = new Map<string, string | null>();
  for (const { accountId } of keys)
    if (!handles.has(accountId))
      handles.set(accountId, (await readView(views, accountsProjection, accountId))?.handle ?? null);
  return keys.map((key) => ({ ...key, handle: handles.get(key.accountId) ?? null }));
}

type RevokeOptions = JsonOption & { readonly reason: string };

function revokeCommand(): Command {
  return new Command('revoke')
    .description('end a key and its mandate for good')
    .argument('<keyId>', 'as `bourse key list` shows it', parsedBy(idSchema('apiKey')))
    .option('--reason <text>', 'kept with the event', parsedBy(reasonText), 'revoked from the command line')
    .option('--json', 'print JSON')
    .action(onMarket(revoke));
}

async function revoke(
  { market, call }: CommandLine,
  keyId: string,
  { reason, json }: RevokeOptions,
): Promise<void> {
  const { revokedNow, accountId } = accepted(await revokeKey(market.services, keyId, reason, call));
  await market.catchUp();
  const left = await leftBehind(market.services, keyId, accountId);
  await sayOnceSeen(market, () => {
    if (json) return printJson({ keyId, revokedNow, left });
    printLine(revokedNow ? `${keyId} is revoked.` : `${keyId} was revoked before.`);
    for (const text of describeLeft(left)) printLine(text);
  });
}

/** What the key made is still there: said line by line, with what to do about it. */
function describeLeft({ keys, endpoints, knowsNotifySecret, openJobs }: LeftBehind): readonly string[] {
  return [
    ...keys.map(({ id, name }) => `It made, or was shown a secret of, the key ${id}: ${name}`),
    ...endpoints.map(
      ({ id, url }) => `It added or redirected, or knows the secret of, the webhook endpoint ${id}: ${url}`,
    ),
    ...(knowsNotifySecret
      ? ['It was shown the secret of messages to notifyUrl: POST /v1/notify-secret makes another.']
      : []),
    ...(openJobs > 0
      ? [
          `It left ${plural(openJobs, 'job')} that ${openJobs === 1 ? 'has' : 'have'} not ended; links to them do not act any more.`,
        ]
      : []),
  ];
}
