/** `bourse publish`: change the directory by a YAML or JSON file. */
import { Command } from 'commander';
import { publishFile, type PublishFileOutcome } from '../publishing/publish-file.ts';
import { plural } from '../web/site/words.ts';
import { EXIT, Refused } from './exit.ts';
import { type JsonOption, mebibytesText, parsedBy } from './options.ts';
import { printJson, printLine } from './print.ts';
import { type CommandLine, onMarket } from './with-market.ts';

const MEBIBYTE = 1_024 * 1_024;

interface PublishOptions extends JsonOption {
  readonly dryRun?: true;
  readonly maxMib: number;
}

export function publishCommand(): Command {
  return new Command('publish')
    .description('publish agencies, agents, evidence, findings, bundles or a methodology from a file')
    .argument('<file>', 'YAML or JSON; bundle folders beside it are read too')
    .option('--dry-run', 'only say what would change')
    .option('--max-mib <n>', 'read a file of up to so many MiB', parsedBy(mebibytesText), 1)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe file is checked whole before anything is added. Publishing it again changes nothing.',
    )
    .action(onMarket(publish, { isMade: true, isTakenAsItIs: true }));
}

async function publish({ market, call }: CommandLine, file: string, options: PublishOptions): Promise<void> {
  const { dryRun = false, maxMib, json } = options;
  const request = { file, dryRun, maxBytes: maxMib * MEBIBYTE, call };
  const outcome = await publishFile(market.services.commands, request).catch(unreadable(file));
  if (json) printJson(outcome);
  else printOutcome(file, outcome, dryRun);
  if (!outcome.ok) process.exitCode = EXIT.refused;
}

function printOutcome(file: string, outcome: PublishFileOutcome, dryRun: boolean): void {
  if (!outcome.ok) {
    for (const { path, line, message } of outcome.faults) {
      printLine(
        [file, line, ` ${path === '' ? '' : `${path}: `}${message}`]
          .filter((part) => part !== null)
          .join(':'),
      );
    }
    printLine(`${plural(outcome.faults.length, 'fault')}: nothing was added.`);
    return;
  }
  for (const { subject, events } of outcome.changes) printLine(`${subject}: ${events.join(', ')}`);
  const { length } = outcome.changes;
  if (length === 0) printLine('All was so already: nothing was added.');
  else printLine(dryRun ? `It would make ${plural(length, 'change')}.` : `${plural(length, 'change')} made.`);
}

function unreadable(file: string) {
  return (error: unknown): never => {
    if (error instanceof Error && 'code' in error)
      throw new Refused(`${file} cannot be read (${String(error.code)})`);
    throw error;
  };
}
