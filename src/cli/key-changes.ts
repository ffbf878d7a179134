/** `bourse key amend|suspend|resume|freeze|unfreeze|rotate`: what an owner changes about a key that is in use. */
import { Command } from 'commander';
import { slug } from '../../events/common.ts';
import { idSchema } from '../../events/ids.ts';
import type { MandateTerms } from '../../events/mandate-events.ts';
import { periodSchema } from '../../events/period.ts';
import { freezeKey, type FrozenKey } from '../operations/keys/freeze-key.ts';
import { rotateKey } from '../operations/keys/rotate-key.ts';
import {
  amendMandate,
  type ChangedMandate,
  changeMandate,
  correctPeriod,
} from '../operations/mandates/change-mandate.ts';
import { describeMandate } from '../operations/mandates/mandate-schema.ts';
import { accepted, WrongUsage } from './exit.ts';
import {
  actionText,
  centsText,
  countText,
  hoursText,
  type JsonOption,
  listOf,
  momentText,
  parsedBy,
  reasonText,
} from './options.ts';
import { dollars, printJson, printLine } from './print.ts';
import { type CommandLine, onMarket, sayOnceSeen } from './with-market.ts';

const keyIdArgument = ['<keyId>', 'as `bourse key list` shows it', parsedBy(idSchema('apiKey'))] as const;

export function keyChangeCommands(): readonly Command[] {
  return [
    amendCommand(),
    suspendCommand(),
    resumeCommand(),
    correctPeriodCommand(),
    freezeCommand(),
    unfreezeCommand(),
    rotateCommand(),
  ];
}

function keyCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument(...keyIdArgument)
    .option('--json', 'print JSON');
}

interface AmendOptions extends JsonOption {
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
  return keyCommand(
    'amend',
    'change the terms of the mandate from now on; what was spent this month stays counted',
  )
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
    .action(
      changing(({ market, call }, keyId, options: AmendOptions) => {
        const changes = termsOf(options);
        if (Object.keys(changes).length === 0)
          throw new WrongUsage('nothing to change was named: see --help');
        return amendMandate(market.services, keyId, changes, call);
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
  return keyCommand('suspend', 'refuse every spend of a key until it is resumed')
    .option('--reason <text>', 'kept with the event', parsedBy(reasonText), 'suspended from the command line')
    .action(
      changing(({ market, call }, keyId, { reason }: Reason) =>
        changeMandate(market.services, keyId, { type: 'SuspendMandate', reason }, call),
      ),
    );
}

function resumeCommand(): Command {
  return keyCommand('resume', 'let a suspended key spend again').action(
    changing(({ market, call }, keyId) =>
      changeMandate(market.services, keyId, { type: 'ResumeMandate' }, call),
    ),
  );
}

function correctPeriodCommand(): Command {
  return keyCommand('correct-period', 'put right a mandate that a fast clock has carried into a later month')
    .requiredOption(
      '--month <month>',
      'the month (UTC) that it really is, such as 2026-11',
      parsedBy(periodSchema),
    )
    .requiredOption('--reason <text>', 'kept with the event', parsedBy(reasonText))
    .action(
      changing(({ market, call }, keyId, { month: period, reason }: Reason & { month: string }) =>
        correctPeriod(market.services, keyId, { period, reason }, call),
      ),
    );
}

function freezeCommand(): Command {
  return keyCommand(
    'freeze',
    'stop everything that is done with a key, and the links it made, until it is unfrozen',
  )
    .option('--reason <text>', 'kept with the event', parsedBy(reasonText), 'frozen from the command line')
    .action(
      freezing('frozen', ({ market, call }, keyId, { reason }: Reason) =>
        freezeKey(market.services, keyId, { type: 'FreezeApiKey', by: 'operator', reason }, call),
      ),
    );
}

function unfreezeCommand(): Command {
  return keyCommand('unfreeze', 'let a frozen key work as before').action(
    freezing('not frozen', ({ market, call }, keyId) =>
      freezeKey(market.services, keyId, { type: 'UnfreezeApiKey', by: 'operator' }, call),
    ),
  );
}

interface Reason extends JsonOption {
  readonly reason: string;
}

type Change<Options, Changed> = (line: CommandLine, keyId: string, options: Options) => Promise<Changed>;

/** The action that freezes or unfreezes a key and says how it is. */
function freezing<Options extends JsonOption>(
  state: 'frozen' | 'not frozen',
  change: Change<Options, FrozenKey>,
) {
  return onMarket(async (line, keyId: string, options: Options) => {
    const { changedNow } = accepted(await change(line, keyId, options));
    await sayOnceSeen(line.market, () => {
      if (options.json) return printJson({ keyId, state, changedNow });
      printLine(changedNow ? `${keyId} is ${state}.` : `${keyId} was ${state} before.`);
    });
  });
}

function rotateCommand(): Command {
  return keyCommand('rotate', 'give a key a new secret, shown once; mandate and counters stay')
    .option('--overlap <hours>', 'how long the old secret works beside the new one', parsedBy(hoursText), 0)
    .action(onMarket(rotate));
}

async function rotate(
  { market, call }: CommandLine,
  keyId: string,
  { json, overlap }: JsonOption & { overlap: number },
): Promise<void> {
  const until = overlap === 0 ? null : new Date(Date.parse(call.at) + overlap * 3_600_000).toISOString();
  const { key } = accepted(await rotateKey(market.services, keyId, call, until));
  await sayOnceSeen(market, () => {
    if (json) return printJson({ keyId, key, previousWorksUntil: until });
    printLine(`Key      ${key}`);
    printLine('The key is not shown again: only its SHA-256 is kept.');
    printLine(
      until === null ? 'The old secret does not work any more.' : `The old secret works until ${until}.`,
    );
  });
}

/** The action that changes the mandate of a key and says how it is. */
function changing<Options extends JsonOption>(change: Change<Options, ChangedMandate>) {
  return onMarket(async (line, keyId: string, options: Options) => {
    const changed = accepted(await change(line, keyId, options));
    const mandate = describeMandate(changed.mandate, line.call.at);
    if (options.json) return printJson({ keyId, mandate });
    const { status, maxPerTransactionCents, maxMonthlyCents, spentThisPeriodCents, period } = mandate;
    printLine(
      `${keyId} is ${status}: up to ${dollars(maxPerTransactionCents)} each and ${dollars(maxMonthlyCents)} a month, ` +
        `${dollars(spentThisPeriodCents)} spent in ${period}.`,
    );
  });
}
