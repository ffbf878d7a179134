/** `bourse audit export|verify`: what keys did as a file, and the check of such a file on any machine. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { accountDecider } from '../../commands/account/account.ts';
import { idSchema } from '../../events/ids.ts';
import { exportLog, exportMandate, NotExportable } from '../audit/export-log.ts';
import { readLines } from '../audit/read-lines.ts';
import { verifyExport } from '../audit/verify-export.ts';
import { accountName } from '../operations/accounts/find-account.ts';
import { mandateIdOf } from '../operations/mandates/find-mandate.ts';
import { plural } from '../web/site/words.ts';
import { EXIT, Refused } from './exit.ts';
import { type JsonOption, parsedBy } from './options.ts';
import { printJson, printLine } from './print.ts';
import { type LogLine, withLog } from './with-log.ts';

export function exportCommand(): Command {
  return new Command('export')
    .description('write the events of keys, mandates and denials as NDJSON that can be verified anywhere')
    .requiredOption('--out <file>', 'where to write; an existing file is not replaced')
    .option(
      '--account <account>',
      'only what belongs to this account, by id or handle',
      parsedBy(accountName),
    )
    .option('--key <id>', 'only the mandate of this key', parsedBy(idSchema('apiKey')))
    .option(
      '--whole',
      'with the orders that releases before 0.2 wrote in clear, so that every hash can be worked out',
    )
    .option('--json', 'print JSON')
    .action(({ out, json, ...wanted }: ExportOptions) =>
      withLog(async (log) => {
        const lines = await write(out, await wantedLines(log, wanted));
        if (json) return printJson({ file: out, lines });
        printLine(`${plural(lines, 'line')} in ${out}. Check them with: bourse audit verify ${out}`);
      }),
    );
}

interface Wanted {
  readonly whole?: true;
  readonly account?: string;
  readonly key?: string;
}

type ExportOptions = Wanted & JsonOption & { readonly out: string };

async function wantedLines(log: LogLine, { account, key, whole }: Wanted): Promise<AsyncIterable<string>> {
  const { events, call } = log;
  const options = { exportedAt: call.at, withClearText: whole === true };
  if (key === undefined) {
    const accountId = account === undefined ? null : await accountIdOf(log, account);
    return exportLog(events, options, accountId);
  }
  if (account !== undefined) throw new Refused('give --account or --key, not both');
  const mandateId = await mandateIdOf(log, key, call.at);
  if (mandateId === undefined) throw new Refused(`there is no key ${key}`);
  return exportMandate(events, { mandateId, keyId: key }, options);
}

/** A handle's account is told by its own stream: an auditor has the log alone. An id is taken as it is. */
async function accountIdOf({ commands, call }: LogLine, idOrHandle: string): Promise<string> {
  if (idSchema('account').safeParse(idOrHandle).success) return idOrHandle;
  const { state } = await commands.load(accountDecider, idOrHandle, call.at);
  if (state.status === 'absent') throw new Refused(`there is no account ${idOrHandle}`);
  return state.accountId;
}

/** Waits whenever the disk is slower than the log, so that memory stays flat. Leaves the whole file, synced, or none. */
async function write(path: string, lines: AsyncIterable<string>): Promise<number> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await once(file, 'open').catch((error: unknown) => {
    throw explained(error, path);
  });
  let count = 0;
  async function* counted(): AsyncIterable<string> {
    for await (const line of lines) {
      count += 1;
      yield line;
    }
  }
  try {
    await pipeline(counted, file);
  } catch (error) {
    await rm(path, { force: true });
    throw explained(error, path);
  }
  return count;
}

/** Only the file's own failures are a system call's: those of the log have kinds of their own. */
function explained(error: unknown, path: string): unknown {
  if (error instanceof NotExportable) return new Refused(error.message);
  const isOfFile = error instanceof Error && 'syscall' in error;
  return isOfFile ? new Refused(`${path} cannot be written: ${error.message}`) : error;
}

/** Needs no data folder and no settings: an auditor has the file alone. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('check an export: every line, every chain, every sum; names what is wrong')
    .argument('<file>', 'as `bourse audit export` wrote it')
    .option('--json', 'print JSON')
    .action(async (file: string, { json }: JsonOption) => {
      const found = await stat(file).catch(() => null);
      if (found?.isFile() !== true) throw new Refused(`${file} is not a file that can be read`);
      const report = await verifyExport(readLines(file));
      const [first] = report.findings;
      if (first !== undefined) process.exitCode = EXIT.refused;
      if (json) return printJson({ verified: first === undefined, ...report });
      for (const { line, wrong, problem } of report.findings) printLine(`line ${line}: ${wrong}: ${problem}`);
      const { lines, events, mandates, withheld, headHash } = report;
      printLine(
        `${plural(lines, 'line')}, ${plural(events, 'event')}, ${plural(mandates, 'mandate')}, head ${headHash}`,
      );
      if (withheld > 0)
        printLine(
          `${withheld} events were exported without their orders: their hashes are taken from the file.`,
        );
      printLine(first === undefined ? 'Every line, chain, sum and cap holds.' : 'The export does not hold.');
    });
}
