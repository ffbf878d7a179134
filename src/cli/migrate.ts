/** `bourse migrate`: move the log to another engine, or take it home. */
import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import { type Config, readConfig } from '../settings/config.ts';
import { assertLossAccepted } from '../checking/accept-loss.ts';
import { compareFollowers } from '../checking/compare-followers.ts';
import { describeLoss } from '../checking/guarded-log.ts';
import { type LogEngine, logFileIn, logFollowers, openLogAt } from '../composition/engines.ts';
import { type LogPlace, logPlaceOf } from '../composition/log-place.ts';
import { describeDifference } from '../migrating/event-difference.ts';
import { type MigrationOutcome, migrateLog } from '../migrating/migrate-log.ts';
import { assertFinished } from '../migrating/unfinished-copy.ts';
import { createLog } from '../logging/log.ts';
import { reactions } from '../reactions/reactions.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { EXIT, Refused, WrongUsage } from './exit.ts';
import { isSamePlace, parseLogPlace } from './log-place.ts';
import type { JsonOption } from './options.ts';
import { complain, printJson, printLine } from './print.ts';
import { progressLine } from './progress-line.ts';

interface MigrateOptions extends JsonOption {
  readonly to?: LogPlace;
  readonly from?: LogPlace;
}

/** Longer than a restart of a server or an election takes. */
const PATIENCE_MS = 60_000;

const HELP = `
Stop the service first. The target must be empty, or hold the beginning of this very log: so the same command goes on
where it was broken off. Afterwards both logs are read side by side, event by event. The source is only read.
Exit code 0 says that the target is the source; then set EVENTSTORE_URL (or DATA_DIR) and start the service, which
builds its views anew. See "Moving the log" in docs/operations.md.`;

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('copy the log to another engine, verified event by event, and the places of the reactions')
    .option('--from <place>', 'sqlite:<data folder> or esdb://…', parseLogPlace)
    .option('--to <place>', 'likewise; what is left out is the log that the settings choose', parseLogPlace)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options: MigrateOptions) => migrate(readConfig(), options));
}

async function migrate(config: Config, { json, ...given }: MigrateOptions): Promise<void> {
  const { from, to } = { from: logPlaceOf(config), to: logPlaceOf(config), ...given };
  if (isSamePlace(from, to)) throw new WrongUsage('--from and --to are the same place: name the other one');
  if (from.kind === 'eventstoredb' && to.kind === 'eventstoredb')
    throw new Refused(
      'from one EventStoreDB to another its own backup is the way: positions stay as they are',
    );
  await mustHoldLog(from);
  const source = await openLogAt(from, config);
  try {
    await mustBeWhole(source, from, config);
    if ((await source.events.head()) === null) throw new Refused(`there is no event in ${source.logPlace}`);
    const target = await openLogAt(to, config);
    try {
      const outcome = await run(source, target);
      if (json) printJson(outcomeJson(outcome, source, target));
      else report(outcome, target);
      if (!isWhole(outcome))
        process.exitCode = outcome.kind === 'interrupted' ? EXIT.interrupted : EXIT.refused;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** An embedded log is made where there is none: not where one is to be taken from. */
async function mustHoldLog(from: LogPlace): Promise<void> {
  if (from.kind !== 'sqlite') return;
  const file = logFileIn(from.dataDir);
  if ((await stat(file).catch(() => null)) === null) throw new Refused(`there is no log at ${file}`);
}

/** Who followed the source cannot compare himself with the copy, whose positions are others: what is lost shows here or never. */
async function mustBeWhole(source: LogEngine, from: LogPlace, config: Config): Promise<void> {
  await assertFinished(source.checkpoints);
  await assertLossAccepted(source.checkpoints);
  const beside = from.kind === 'sqlite' ? { ...config, dataDir: from.dataDir } : config;
  const followers = await logFollowers(beside, source, createLog('silent'));
  const differences = await compareFollowers(source.events, followers);
  if (differences.length > 0) throw new Refused(describeLoss(differences));
}

/** A signal breaks it off between two appends; a second one does not wait. */
async function run(source: LogEngine, target: LogEngine): Promise<MigrationOutcome> {
  const stop = listenForStop();
  const progress = progressLine(process.stderr, Date.now);
  try {
    return await migrateLog({
      source,
      target,
      reactions: Object.keys(reactions),
      signal: stop.signal,
      patienceMs: PATIENCE_MS,
      onProgress: progress.show,
    });
  } catch (error) {
    progress.end();
    complain(`broken off. ${HOW_TO_GO_ON}`);
    throw error;
  } finally {
    progress.end();
    stop.release();
  }
}

const HOW_TO_GO_ON = 'What was copied stays; the same command again goes on from there.';

function report(outcome: MigrationOutcome, { logPlace }: LogEngine): void {
  const problem = problemOf(outcome);
  if (outcome.kind === 'migrated') reportCopied(outcome, logPlace);
  if (problem !== null) complain(problem);
}

function reportCopied(outcome: Extract<MigrationOutcome, { kind: 'migrated' }>, logPlace: string): void {
  const { events, copied, digests, checkpoints } = outcome;
  printLine(
    `${events} events are in ${logPlace}, ${copied} of them copied now. Every one was read back and compared.`,
  );
  printLine(`SHA-256 of the source ${digests.source}`);
  printLine(`SHA-256 of the target ${digests.target}`);
  for (const { name, target } of checkpoints) printLine(`${name} goes on after ${target ?? 'nothing'}`);
}

/** Whether the service can go on with the target. */
function isWhole(outcome: MigrationOutcome): boolean {
  return outcome.kind === 'migrated' && outcome.newer === 0;
}

function problemOf(outcome: MigrationOutcome): string | null {
  switch (outcome.kind) {
    case 'refused':
      return `the target holds another log, and nothing was written: ${describeDifference(outcome.difference)}`;
    case 'unequal':
      return `the target is not the source: ${describeDifference(outcome.difference)}`;
    case 'disturbed': {
      const { streamId, expectedRevision, actualRevision } = outcome.disturbance;
      return `somebody else writes to the target: ${streamId} is at ${actualRevision}, not at ${expectedRevision}`;
    }
    case 'interrupted':
      return `stopped; ${outcome.copied} events were copied. ${HOW_TO_GO_ON}`;
    case 'migrated':
      return outcome.newer === 0
        ? null
        : `${outcome.newer} events came into the source meanwhile: stop the service, and the same command again takes them along`;
  }
}

function outcomeJson(outcome: MigrationOutcome, source: LogEngine, target: LogEngine): object {
  const places = { source: source.logPlace, target: target.logPlace };
  const { kind, ...rest } = outcome.kind === 'migrated' ? outcome : { kind: outcome.kind };
  return { outcome: kind, ...places, problem: problemOf(outcome), ...rest };
}
