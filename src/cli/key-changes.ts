/** `bourse key amend|suspend|resume|rotate`: what an owner changes about a key that is in use. */
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { slug } from '../../events/common.ts';
import { idSchema } from '../../events/ids.ts';
import type { MandateTerms } from '../../events/mandate-events.ts';
import { rotateKey } from '../operations/keys/rotate-key.ts';
import {
  amendMandate,
  type ChangedMandate,
  resumeMandate,
  suspendMandate,
} from '../operations/mandates/change-mandate.ts';
import { describeMandate } from '../operations/mandates/mandate-schema.ts';
import { Refused, WrongUsage } from './exit.ts';
import { actionText, centsText, countText, listOf, momentText, parsedBy, reasonText } from './options.ts';
import { dollars, printJson, printLine } from './print.ts';
import { type CommandLine, sayOnceSeen, withMarket } from './with-market.ts';

const keyIdArgument = ['<keyId>', 'as `bourse key list` shows it', parsedBy(idSchema('apiKey'))] as const;

export function keyChangeCommands(): readonly Command[] {
  return [amendCommand(), suspendCommand(), resumeCommand(), rotateCommand()];
}

interface Json {
  readonly json?: true;
}

interface AmendOptions extends Json {
  readonly maxPerTransaction?: number;
  readonly maxMonthly?: number;
  readonly allow?: string[];
  readonly expires?: string | false;
  readonly validFrom?: string | false;
  readonly maxSpends?: number | false;
  readonly agencies?: string[] | false;
  readonly agents?: string[] | false;
}

function amendCommand(): Command {
  return new Command('amend')
    .description('change the terms of the mandate from now on; what was spent this month stays counted')
    .argument(...keyIdArgument)
    .option('--max-per-transaction <cents>', 'the most one spend may cost, in cents', parsedBy(centsText))
    .option(
      '--max-monthly <cents>',
      'the most a calendar month (UTC) may cost, in cents',
      parsedBy(centsText),
    )
    .option('--allow <actions>', 'the actions it may spend on, such as trial:create', listOf(actionText, 32))
    .option('--expires <time>', 'when the mandate ends', parsedBy(momentText))
    .option('--no-expires', 'it does not end')
    .option('--valid-from <time>', 'not before', parsedBy(momentText))
    .option('--no-valid-from', 'from now on')
    .option('--max-spends <number>', 'spends in a calendar month', parsedBy(countText))
    .option('--no-max-spends', 'any number')
    .option('--agencies <slugs>', 'only these agencies may be paid', listOf(slug, 200))
    .option('--no-agencies', 'any agency')
    .option('--agents <slugs>', 'only these agents may be hired', listOf(slug, 200))
    .option('--no-agents', 'any agent')
    .option('--json', 'print JSON')
    .action((keyId: string, options: AmendOptions) =>
      withMarket(async (line) => {
        const changes = termsOf(options);
        if (Object.keys(changes).length === 0)
          throw new WrongUsage('nothing to change was named: see --help');
        const call = { ...line.cause, commandId: randomUUID() };
        print(keyId, await amendMandate(line.market.services, keyId, changes, call), options, line);
      }),
    );
}

/** An option that was not given changes nothing; its `--no-…` sets no limit. */
function termsOf(options: AmendOptions): Partial<MandateTerms> {
  const named: Readonly<Record<keyof MandateTerms, unknown>> = {
    maxPerTransactionCents: options.maxPerTransaction,
    maxMonthlyCents: options.maxMonthly,
    allowedActions: options.allow,
    expiresAt: unset(options.expires),
    validFrom: unset(options.validFrom),
    maxSpendsPerMonth: unset(options.maxSpends),
    allowedAgencies: unset(options.agencies),
    allowedAgents: unset(options.agents),
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** Commander gives true where only the `--no-…` form is known and neither was typed. */
function unset<Value>(value: Value | boolean | undefined): Value | null | undefined {
  if (value === true) return undefined;
  return value === false ? null : value;
}

function suspendCommand(): Command {
  return new Command('suspend')
    .description('refuse every spend of a key until it is resumed')
    .argument(...keyIdArgument)
    .option('--reason <text>', 'kept with the event', parsedBy(reasonText), 'suspended from the command line')
    .option('--json', 'print JSON')
    .action((keyId: string, options: Json & { reason: string }) =>
      withMarket(async (line) => {
        const call = { ...line.cause, commandId: randomUUID() };
        print(keyId, await suspendMandate(line.market.services, keyId, options.reason, call), options, line);
      }),
    );
}

function resumeCommand(): Command {
  return new Command('resume')
    .description('let a suspended key spend again')
    .argument(...keyIdArgument)
    .option('--json', 'print JSON')
    .action((keyId: string, options: Json) =>
      withMarket(async (line) => {
        const call = { ...line.cause, commandId: randomUUID() };
        print(keyId, await resumeMandate(line.market.services, keyId, call), options, line);
      }),
    );
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('give a key a new secret, shown once; mandate and counters stay')
    .argument(...keyIdArgument)
    .option('--json', 'print JSON')
    .action((keyId: string, { json }: Json) =>
      withMarket(async ({ market, cause }) => {
        const rotated = await rotateKey(market.services, keyId, { ...cause, commandId: randomUUID() });
        if (!rotated.ok) throw new Refused(rotated.refusal.message);
        await sayOnceSeen(market, () => {
          if (json) return printJson({ keyId, key: rotated.key });
          printLine(`Key      ${rotated.key}`);
          printLine(
            'The key is not shown again: only its SHA-256 is kept. The old secret does not work any more.',
          );
        });
      }),
    );
}

function print(keyId: string, changed: ChangedMandate, { json }: Json, { cause }: CommandLine): void {
  if (!changed.ok) throw new Refused(changed.refusal.message);
  const mandate = describeMandate(changed.mandate, cause.at);
  if (json) return printJson({ keyId, mandate });
  const { status, maxPerTransactionCents, maxMonthlyCents, spentThisPeriodCents, period } = mandate;
  printLine(
    `${keyId} is ${status}: up to ${dollars(maxPerTransactionCents)} each and ${dollars(maxMonthlyCents)} a month, ` +
      `${dollars(spentThisPeriodCents)} spent in ${period}.`,
  );
}
