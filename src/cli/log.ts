/** `bourse log`: the log itself, and whether it is what was written. */
import { Command } from 'commander';
import { checkLog, type LogCheck } from '../checking/check-log.ts';
import { readConfig } from '../config.ts';
import { logFollowers, logPlaceOf, openLogAt } from '../engines.ts';
import { createLog } from '../log.ts';
import { reactions } from '../reactions/reactions.ts';
import { listenForStop } from '../stop-signal.ts';
import { EXIT } from './exit.ts';
import { printJson, printLine } from './print.ts';
import { progressLine } from './progress-line.ts';

const HELP = `
Reads everything and writes nothing. The server may go on meanwhile: it is read in parts, so that no write waits and
the write-ahead log can be emptied. Exit code 0: all holds; 3: something does not, and each finding is named by its
position or stream; 4: something cannot be read at all. See "When the log is damaged" in docs/operations.md.`;

export function logCommand(): Command {
  const check = new Command('check')
    .description('read the whole log: pages, events, streams, chains of mandates, and who follows it')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options: { json?: true }) => checkTheLog(options));
  return new Command('log')
    .description('the log of events: whether it is what was written')
    .addCommand(check);
}

async function checkTheLog({ json }: { readonly json?: true }): Promise<void> {
  const config = readConfig();
  const engine = await openLogAt(logPlaceOf(config), config);
  const { events, checkpoints, inspect, logPlace, close } = engine;
  const stop = listenForStop();
  const progress = progressLine(process.stderr, Date.now);
  try {
    const report = await checkLog({
      events,
      inspect,
      async followers() {
        const names = Object.keys(reactions);
        const places = names.map(async (name) => ({
          name,
          position: await checkpoints.get(name),
          mark: null,
        }));
        return [...(await Promise.all(places)), ...(await logFollowers(config, engine, createLog('silent')))];
      },
      signal: stop.signal,
      onProgress: progress.show,
    });
    progress.end();
    if (json) printJson({ log: logPlace, holds: report.findings.length === 0, ...report });
    else print(report, logPlace);
    process.exitCode = exitCodeOf(report);
  } finally {
    progress.end();
    stop.release();
    await close();
  }
}

function print(
  { events, head, mandates, followers, findings, moreFindings, isInterrupted }: LogCheck,
  place: string,
) {
  for (const { place: where, problem } of findings) printLine(`${where}: ${problem}`);
  if (moreFindings > 0) printLine(`and ${moreFindings} more`);
  printLine(
    `${events} events of ${place} up to ${head ?? 'its beginning'}, ${mandates} mandates, ${followers} followers`,
  );
  if (findings.length > 0) printLine('The log does not hold.');
  else
    printLine(isInterrupted ? 'Stopped before the end; so far all holds.' : 'Every part of the log holds.');
}

function exitCodeOf({ findings, isInterrupted }: LogCheck): number {
  if (findings.some(({ isUnreadable }) => isUnreadable)) return EXIT.unavailable;
  if (findings.length > 0) return EXIT.refused;
  return isInterrupted ? EXIT.interrupted : EXIT.ok;
}
