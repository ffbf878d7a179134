/** `bourse webhook`: where accounts are notified, and what became of each message. */
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { z } from 'zod';
import { idSchema } from '../../events/ids.ts';
import { line } from '../../events/texts.ts';
import { NOTIFICATION_TYPES, notificationTypeSchema } from '../../events/webhook-events.ts';
import {
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../projections/webhook-endpoints.ts';
import { accountName } from '../operations/accounts/find-account.ts';
import { postAgain } from '../operations/notifications/post-later.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import { amendEndpoint } from '../operations/webhooks/amend-endpoint.ts';
import { addEndpoint, changeEndpoint, type ChangedEndpoint } from '../operations/webhooks/change-endpoint.ts';
import { accountNamed } from './account-named.ts';
import { endpointTextOf } from '../operations/notifications/endpoint-text.ts';
import { wantedType, wantedTypes } from '../operations/webhooks/endpoints.ts';
import { notifyAddress } from '../operations/webhooks/notify-address.ts';
import { sendTest } from '../operations/webhooks/test-endpoint.ts';
import { accepted, Refused } from './exit.ts';
import { type JsonOption, listOf, parsedBy } from './options.ts';
import { printJson, printLine, printTable } from './print.ts';
import { type CommandLine, onMarket, sayOnceSeen } from './with-market.ts';

const MOST_SHOWN = 100;
const deliveriesOfText = z.union([idSchema('webhookEndpoint'), accountName], {
  error: 'must be the id of an endpoint, or the account by id or handle',
});

interface Options extends JsonOption {
  readonly account: string;
}

export function webhookCommand(): Command {
  const webhook = new Command('webhook').description(
    'where an account is notified of what becomes of its jobs',
  );
  const sub = (name: string, description: string): Command =>
    webhook
      .command(name)
      .description(description)
      .requiredOption('--account <account>', 'whose it is, by id or handle', parsedBy(accountName))
      .option('--json', 'print JSON');
  const endpoint = [
    '<endpointId>',
    'as `bourse webhook list` shows it',
    parsedBy(idSchema('webhookEndpoint')),
  ] as const;

  sub('add', 'notify at an https address; the secret is shown once')
    .argument('<url>', 'the address', parsedBy(notifyAddress))
    .option(
      '--types <a,b>',
      `what to tell: ${NOTIFICATION_TYPES.join(', ')}; everything if absent`,
      listOf(notificationTypeSchema, 32),
    )
    .option('--description <text>', 'your own note', parsedBy(line(200)))
    .action(onMarket(add));
  sub('list', 'the endpoints, disabled ones included').action(onMarket(list));
  const verbs = [
    ['rotate', 'RotateWebhookSecret', 'get a new secret; the one before signs for a day longer'],
    ['disable', 'DisableWebhookEndpoint', 'send nothing there for now'],
    ['enable', 'EnableWebhookEndpoint', 'send there again'],
    ['remove', 'RemoveWebhookEndpoint', 'remove it for good'],
  ] as const;
  for (const [name, type, description] of verbs) {
    sub(name, description)
      .argument(...endpoint)
      .action(
        onMarket(async (cli, endpointId: string, options: Options) => {
          const accountId = await accountIdOf(options.account, cli);
          const changed = await changeEndpoint(cli.market.services, accountId, endpointId, type, cli.call);
          await print(changed, options, cli.market, name === 'rotate');
        }),
      );
  }
  sub('change', 'change its address, what it is told of or the note; its secret and its log stay')
    .argument(...endpoint)
    .option('--url <url>', 'the new address', parsedBy(notifyAddress))
    .option('--types <a,b>', 'what to tell from now on; * is everything', listOf(wantedType, 32))
    .option('--description <text>', 'your own note', parsedBy(line(200)))
    .action(onMarket(change));
  sub('test', 'send a test message there; the serving process sends it')
    .argument(...endpoint)
    .action(onMarket(test));
  sub('deliveries', `what became of the messages of the last month, the newest ${MOST_SHOWN} first`)
    .argument(
      '<endpointId>',
      'of an endpoint, or the account by id or handle: the messages to the notifyUrl of its jobs',
      parsedBy(deliveriesOfText),
    )
    .action(onMarket(deliveries));
  sub('redeliver', 'send a message once more; the serving process sends it')
    .argument('<deliveryId>', 'as `bourse webhook deliveries` shows it', parsedBy(idSchema('delivery')))
    .action(onMarket(redeliver));
  return webhook;
}

async function add(
  { market, call }: CommandLine,
  url: string,
  options: Options & { types?: WebhookEndpointDocument['types']; description?: string },
): Promise<void> {
  await market.catchUp();
  const accountId = await accountIdOf(options.account, { market, call });
  const { types = null, description = '' } = options;
  const wanted = { url, types, description };
  await print(await addEndpoint(market.services, accountId, wanted, call), options, market, true);
}

interface Amended {
  readonly url?: string;
  readonly types?: readonly z.output<typeof wantedType>[];
  readonly description?: string;
}

async function change(cli: CommandLine, endpointId: string, options: Options & Amended): Promise<void> {
  const accountId = await accountIdOf(options.account, cli);
  const { url, types, description } = options;
  const amendment = { url, types: types && wantedTypes(types), description };
  const { services } = cli.market;
  const changed = await amendEndpoint(services, accountId, endpointId, amendment, cli.call);
  await print(changed, options, cli.market, false);
}

async function test(cli: CommandLine, endpointId: string, { account, json }: Options): Promise<void> {
  const accountId = await accountIdOf(account, cli);
  const { id } = accepted(await sendTest(cli.market.services, accountId, endpointId, cli.call)).delivery;
  if (json) return printJson({ deliveryId: id, queued: true });
  printLine(`${id} is queued.`);
}

async function list({ market, call }: CommandLine, { account, json }: Options): Promise<void> {
  await market.catchUp();
  const accountId = await accountIdOf(account, { market, call });
  const page = await market.services.views.page(webhookEndpointsProjection.name, {
    filter: { accountId },
    order: 'createdAt',
    limit: 100,
  });
  const endpoints = await Promise.all(
    page.rows.map(async (row) => {
      const { text: kept, ...endpoint } = parseDocument<WebhookEndpointDocument>(row);
      const text = await endpointTextOf({ ...endpoint, text: kept }, market.services);
      return { ...endpoint, url: text?.url ?? '', description: text?.description ?? '' };
    }),
  );
  if (json) return printJson(endpoints);
  printTable(
    ['endpoint', 'address', 'told of', 'state'],
    endpoints.map(({ endpointId, url, types, status, disabledReason }) => [
      endpointId,
      url,
      types?.join(',') ?? 'everything',
      disabledReason === null ? status : `${status} (${disabledReason})`,
    ]),
  );
}

async function deliveries(cli: CommandLine, named: string, { account, json }: Options): Promise<void> {
  const accountId = await accountIdOf(account, cli);
  const isEndpoint = idSchema('webhookEndpoint').safeParse(named).success;
  const endpointId = isEndpoint ? named : await accountIdOf(named, cli);
  const rows = await cli.market.services.deliveries.list({ accountId, endpointId, limit: MOST_SHOWN });
  if (json) return printJson(rows);
  printTable(
    ['delivery', 'message', 'made', 'state', 'tries', 'last answer', 'next try'],
    rows.map((one) => [
      one.id,
      one.type,
      one.createdAt,
      one.state,
      String(one.attempts),
      one.lastError ?? String(one.lastStatus ?? ''),
      one.nextAttemptAt ?? '',
    ]),
  );
}

async function redeliver(cli: CommandLine, deliveryId: string, { account, json }: Options): Promise<void> {
  const accountId = await accountIdOf(account, cli);
  const { services } = cli.market;
  const delivery = await services.deliveries.get(deliveryId);
  if (delivery?.accountId !== accountId) throw new Refused(`${account} has no delivery ${deliveryId}`);
  await postAgain(services, delivery, randomUUID());
  if (json) return printJson({ deliveryId, queued: true });
  printLine(`${deliveryId} is queued once more.`);
}

async function accountIdOf(account: string, line: Pick<CommandLine, 'market' | 'call'>): Promise<string> {
  const { accountId, status } = await accountNamed(account, line);
  if (status === 'closed') throw new Refused(`the account ${account} is closed`);
  return accountId;
}

async function print(
  changed: ChangedEndpoint,
  { json }: Options,
  market: CommandLine['market'],
  withSecret: boolean,
): Promise<void> {
  const { text, secret, endpoint: document } = accepted(changed);
  const { text: _, ...shown } = document;
  const endpoint = { ...shown, url: text?.url ?? '', description: text?.description ?? '' };
  await sayOnceSeen(market, () => {
    if (json) return printJson(withSecret ? { ...endpoint, secret } : endpoint);
    printLine(`${endpoint.endpointId} (${endpoint.url}) is ${endpoint.status}.`);
    if (withSecret) {
      printLine(`Secret   ${secret}`);
      printLine('It is not shown again.');
    }
  });
}
