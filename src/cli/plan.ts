/** `bourse plan`: the plans of the Directory Data API, and which of them an account has. */
import { Command } from 'commander';
import { PLANS } from '../../commands/subscription/plans.ts';
import { type PlanName, planNameSchema } from '../../events/plan.ts';
import { type SubscriptionDocument, subscriptionsProjection } from '../../projections/subscriptions.ts';
import { accountName } from '../operations/accounts/find-account.ts';
import { changePlan, type PlanChange, planOf } from '../operations/plans/change-plan.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import { accountNamed } from './account-named.ts';
import { Refused } from './exit.ts';
import { parsedBy } from './options.ts';
import { printJson, printLine, printTable } from './print.ts';
import { type CommandLine, sayOnceSeen, withMarket } from './with-market.ts';

const accountArgument = ['<account>', 'its id or its handle', parsedBy(accountName)] as const;
const planArgument = ['<plan>', `one of ${Object.keys(PLANS).join(', ')}`, parsedBy(planNameSchema)] as const;
const MOST_SHOWN = 500;

interface Json {
  readonly json?: true;
}

export function planCommand(): Command {
  return new Command('plan')
    .description('the plans of the Directory Data API: who has which, and changing that')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(setCommand())
    .addCommand(cancelCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description(`the accounts that have a plan, the newest first, at most ${MOST_SHOWN}`)
    .option('--json', 'print JSON')
    .action((options: Json) => withMarket((line) => list(options, line)));
}

async function list({ json }: Json, { market }: CommandLine): Promise<void> {
  await market.catchUp();
  const query = { filter: {}, order: '-since', limit: MOST_SHOWN };
  const { rows } = await market.services.views.page(subscriptionsProjection.name, query);
  const subscriptions = rows.map((row) => parseDocument<SubscriptionDocument>(row));
  if (json) return printJson(subscriptions);
  printTable(
    ['account', 'plan', 'a minute', 'a month', 'since', 'changed'],
    subscriptions.map(({ accountId, plan, since, changedAt }) => {
      const { perMinute, perMonth } = PLANS[plan];
      return [accountId, plan, String(perMinute), String(perMonth), since, changedAt];
    }),
  );
}

function showCommand(): Command {
  return new Command('show')
    .description('the plan that an account has')
    .argument(...accountArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nFor example:\n  bourse plan show acme-finance')
    .action((account: string, options: Json) => withMarket((line) => show(account, options, line)));
}

async function show(account: string, options: Json, line: CommandLine): Promise<void> {
  const { accountId, handle } = await accountNamed(account, line);
  say({ accountId, handle, plan: await planOf(line.market.services, accountId, line.call.at) }, options);
}

function setCommand(): Command {
  return new Command('set')
    .description('give an account a plan, or exchange the one it has; what it has used stays used')
    .argument(...accountArgument)
    .argument(...planArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nFor example:\n  bourse plan set acme-finance pro')
    .action((account: string, plan: PlanName, options: Json) =>
      withMarket((line) => change(account, { type: 'SetPlan', plan }, options, line)),
    );
}

function cancelCommand(): Command {
  return new Command('cancel')
    .description('take the plan of an account away at once')
    .argument(...accountArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nFor example:\n  bourse plan cancel acme-finance')
    .action((account: string, options: Json) =>
      withMarket((line) => change(account, { type: 'CancelPlan' }, options, line)),
    );
}

async function change(account: string, wanted: PlanChange, options: Json, line: CommandLine): Promise<void> {
  const { handle } = await accountNamed(account, line);
  const changed = await changePlan(line.market.services, handle, wanted, line.call);
  if (!changed.ok) throw new Refused(changed.refusal.message);
  const { accountId } = changed.account;
  await sayOnceSeen(line.market, () => say({ accountId, handle, plan: changed.plan }, options));
}

interface Said {
  readonly accountId: string;
  readonly handle: string;
  readonly plan: PlanName | null;
}

function say({ accountId, handle, plan }: Said, { json }: Json): void {
  if (json) return printJson({ accountId, handle, plan, ...(plan === null ? {} : limitsOf(plan)) });
  if (plan === null) return printLine(`${handle} (${accountId}) has no plan.`);
  const { perMinute, perMonth } = limitsOf(plan);
  printLine(
    `${handle} (${accountId}) has the plan ${plan}: ${perMinute} requests a minute, ${perMonth} a month.`,
  );
}

function limitsOf(plan: PlanName): { readonly perMinute: number; readonly perMonth: number } {
  const { perMinute, perMonth } = PLANS[plan];
  return { perMinute, perMonth };
}
