/** `bourse plan`: the plans of the Directory Data API, and which of them an account has. */
import { Command } from 'commander';
import { PLANS } from '../../commands/subscription/plans.ts';
import { type PlanName, planNameSchema } from '../../events/plan.ts';
import { type SubscriptionDocument, subscriptionsProjection } from '../../projections/subscriptions.ts';
import { changePlan, type PlanChange, planOf } from '../operations/plans/change-plan.ts';
import { accountArgument, accountNamed } from './account-named.ts';
import { accepted } from './exit.ts';
import { type JsonOption, parsedBy } from './options.ts';
import { printJson, printLine, printTable } from './print.ts';
import { type CommandLine, onMarket, sayOnceSeen } from './with-market.ts';
import { everyRow } from '../operations/walk-view.ts';

const planArgument = ['<plan>', `one of ${Object.keys(PLANS).join(', ')}`, parsedBy(planNameSchema)] as const;
const MOST_SHOWN = 500;

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
    .action(onMarket(list));
}

async function list({ market }: CommandLine, { json }: JsonOption): Promise<void> {
  await market.catchUp();
  const { name } = subscriptionsProjection;
  const newest = { filter: {}, order: '-since' };
  const subscriptions = await everyRow<SubscriptionDocument>(market.services.views, name, newest, MOST_SHOWN);
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
    .action(onMarket(show));
}

async function show(line: CommandLine, account: string, options: JsonOption): Promise<void> {
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
    .action(
      onMarket((line, account: string, plan: PlanName, options: JsonOption) =>
        change(line, account, { type: 'SetPlan', plan }, options),
      ),
    );
}

function cancelCommand(): Command {
  return new Command('cancel')
    .description('take the plan of an account away at once')
    .argument(...accountArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nFor example:\n  bourse plan cancel acme-finance')
    .action(
      onMarket((line, account: string, options: JsonOption) =>
        change(line, account, { type: 'CancelPlan' }, options),
      ),
    );
}

async function change(
  line: CommandLine,
  account: string,
  wanted: PlanChange,
  options: JsonOption,
): Promise<void> {
  const { handle } = await accountNamed(account, line);
  const { account: changed, plan } = accepted(
    await changePlan(line.market.services, handle, wanted, line.call),
  );
  await sayOnceSeen(line.market, () => say({ accountId: changed.accountId, handle, plan }, options));
}

interface Said {
  readonly accountId: string;
  readonly handle: string;
  readonly plan: PlanName | null;
}

function say({ accountId, handle, plan }: Said, { json }: JsonOption): void {
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
