/** `bourse log`: the log itself, and whether it is what was written. */
import { Command } from 'commander';
import { checkLog, type LogCheck, type LogCheckParts } from '../checking/check-log.ts';
import { readConfig } from '../settings/config.ts';
import { acceptLoss, findLoss, type Loss } from '../checking/accept-loss.ts';
import { logFollowers, openFollowedLog, openLogToLook } from '../composition/engines.ts';
import { StoreDamaged } from '../../events/event-store.ts';
import type { LogFact } from '../../events/log-events.ts';
import { createLog } from '../logging/log.ts';
import { reactions } from '../reactions/reactions.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { assertMarket } from './assert-market.ts';
import { newCall } from './new-call.ts';
import { plural } from '../web/site/words.ts';
import { EXIT, Refused } from './exit.ts';
import { type JsonOption, parsedBy, reasonText } from './options.ts';
import { complain, printJson, printLine } from './print.ts';
import { progressLine } from './progress-line.ts';

const HELP = `
Reads everything and changes nothing of the log; SQLite may leave an empty -wal and a -shm beside it. The server may go on meanwhile: it is read in parts, so that no write waits and
the write-ahead log can be emptied. Exit code 0: all holds; 3: something does not, and each finding is named by its
position or stream; 4: something cannot be read at all. See "When the log is damaged" in docs/operations.md.`;

export function logCommand(): Command {
  const check = new Command('check')
    .description('read the whole log: pages, events, streams, chains of mandates, and who follows it')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(checkTheLog);
  const accept = new Command('accept-loss')
    .description('go on with a log that has lost events that its followers have seen')
    .requiredOption('--reason <text>', 'kept with the event', parsedBy(reasonText))
    .option('--yes', 'do it; without this it says what is lost, and what would be done')
    .option('--damaged', 'also where events of the log were changed, as long as all can be read')
    .option('--json', 'print JSON')
    .addHelpText('after', ACCEPT_HELP)
    .action(acceptTheLoss);
  return new Command('log')
    .description('the log of events: whether it is what was written')
    .addCommand(check)
    .addCommand(accept);
}

interface AcceptOptions extends JsonOption {
  readonly reason: string;
  readonly yes?: true;
  readonly damaged?: true;
}

/** `--json` has a thousand of them. */
const MOST_PRINTED = 20;

const ACCEPT_HELP = `
Stop the service first, and try to put the right log back: what is lost stays lost. The whole log is read first, and one that
is damaged itself is refused with code 4; where all of it can be read, --damaged goes on with it as it is. Spends that the view of jobs still
knows count again, the loss is recorded as an event, and views are built anew at the next start. Broken off, the same
command goes on with it. See "When the log is not the one that was followed" in docs/operations.md.`;

async function acceptTheLoss({ reason, yes, damaged, json }: AcceptOptions): Promise<void> {
  const config = readConfig();
  assertMarket(config);
  const engine = await openFollowedLog(config, createLog('silent'));
  const progress = progressLine(process.stderr, Date.now);
  try {
    const parts = {
      ...engine,
      reactions: Object.keys(reactions),
      onProgress: (done: number) => progress.show({ phase: 'jobs', done, total: null }),
    };
    const loss = await findLoss(parts);
    progress.end();
    if (loss === null)
      throw new Refused(`nothing is lost: ${engine.logPlace} is the log that its followers know`);
    if (yes !== true) showLoss(loss);
    await assertSound(engine, damaged === true, progress.show);
    progress.end();
    if (yes !== true) {
      throw new Refused('nothing was done: the same with --yes accepts it');
    }
    const accepted = await acceptLoss(parts, loss, reason, newCall());
    if (json) printJson(accepted);
    else sayAccepted(accepted, loss);
  } finally {
    progress.end();
    await engine.close();
  }
}

/**
 * What is left is to be gone on with: all of it is read before anything is written. What was changed and can be read may
 * be in no backup either: then a person says so, and it is printed.
 * @throws {StoreDamaged}
 */
async function assertSound(
  { events, inspect }: Pick<LogCheckParts, 'events' | 'inspect'>,
  isTaken: boolean,
  onProgress: LogCheckParts['onProgress'],
): Promise<void> {
  const { signal } = new AbortController();
  const parts = { events, inspect, followers: async () => [], signal, onProgress };
  const { findings, moreFindings } = await checkLog(parts);
  const [first, ...others] = findings;
  if (first === undefined) return;
  const more = others.length + moreFindings;
  const found = `${first.place}: ${first.problem}${more > 0 ? `, and ${more} more` : ''}`;
  const isReadable = findings.every(({ isUnreadable }) => !isUnreadable);
  if (isTaken && isReadable) return complain(`the log itself is damaged, and is taken as it is: ${found}`);
  throw new StoreDamaged(
    `nothing was done: as \`bourse log check\` says, the log itself is damaged: ${found}${isReadable ? '. Without a better backup, the same with --damaged goes on with it as it is' : ''}`,
  );
}

function showLoss({ differences, spends, jobs, isBegun }: Loss): void {
  for (const { follower, problem } of differences) printLine(`${follower.name} ${problem}`);
  if (isBegun) printLine('Accepting it was begun before, and broken off.');
  const cents = spends.reduce((sum, { amountCents }) => sum + amountCents, 0);
  printLine(
    `Not in the log, and known: ${plural(spends.length, 'spend')} of ${cents} cents, which would count again.`,
  );
  sayJobs(jobs);
}

/** Money may have moved for them of which the log knows nothing. */
function sayJobs(jobs: Loss['jobs']): void {
  for (const { id, status, isDraftAgain } of jobs.slice(0, MOST_PRINTED))
    printLine(
      isDraftAgain
        ? `${id} was ${status}, and is a draft again: it expires within a day unless it is paid, and gives its spend back, once. Look it up at the payment provider.`
        : `${id} was ${status}, and the log does not know that.`,
    );
  if (jobs.length > MOST_PRINTED) printLine(`So were ${jobs.length - MOST_PRINTED} more jobs.`);
}

function sayAccepted(
  { spends, amountCents, jobs: recorded = [], mandates, moreMandates }: LogFact['data'],
  { jobs }: Loss,
): void {
  const raised = mandates.filter(({ isRaised }) => isRaised).length;
  printLine(
    `Accepted, and recorded in log-losses. Lost by the log, and known: ${plural(spends, 'spend')} of ${amountCents} cents, counted again by ${raised} of ${plural(mandates.length + moreMandates, 'mandate')}.`,
  );
  // A run that only ended what another had begun finds none any more.
  const known = recorded.map(({ jobId: id, status }) => ({ id, status, isDraftAgain: false }));
  sayJobs(jobs.length > 0 ? jobs : known);
  printLine('Start the service: it builds its views anew.');
}

async function checkTheLog({ json }: JsonOption): Promise<void> {
  const config = readConfig();
  const engine = await openLogToLook(config);
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
    `${plural(events, 'event')} of ${place} up to ${head ?? 'its beginning'}, ${plural(mandates, 'mandate')}, ${plural(followers, 'follower')}`,
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
