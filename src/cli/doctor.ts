/** `bourse doctor`: whether what the service stands on is as it should be, in one look and without a running server. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { jobsProjection, type JobDocument } from '../../projections/jobs.ts';
import { openMarket } from '../composition/app.ts';
import { createLog } from '../logging/log.ts';
import { askEngine } from '../operations/monitoring/ask-engine.ts';
import type { Engine } from '../operations/monitoring/readiness-schema.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import type { Services } from '../operations/services.ts';
import { readConfig } from '../settings/config.ts';
import { EXIT, Refused } from './exit.ts';
import type { JsonOption } from './options.ts';
import { printJson, printTable } from './print.ts';

interface Finding {
  readonly check: string;
  /** What is wrong and what would be right; null where nothing is. */
  readonly wrong: string | null;
}

const HELP = `
Reads the settings, opens every engine, tightens the rights of the data folder as a start does, and tries to write to
what is written to, without a trace. The server may go on meanwhile. Exit code 0: all is well; 2: a setting is wrong;
3: something is, and each finding says what; 4: an engine cannot be opened at all. Whether the log is what was written
is told by bourse log check, which reads all of it.`;

/** Clocks of several machines differ by less. */
const MAX_CLOCK_LEAD_MS = 60_000;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('whether settings, data folder, engines and clock are as they should be')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options: JsonOption) => examine(options));
}

async function examine({ json }: JsonOption): Promise<void> {
  const config = readConfig();
  // To open the log would make it.
  if (config.eventStore === undefined && !existsSync(config.dataDir))
    throw new Refused(`there is no folder ${config.dataDir}: is DATA_DIR right? The first start makes it`);
  const warnings: string[] = [];
  // What a start would complain of. Lines of the log are JSON and say it as `msg`.
  const log = createLog('warn', { write: (line) => void warnings.push(String(JSON.parse(line).msg)) });
  const market = await openMarket(config, log);
  try {
    await market.services.projector.open();
    const findings = await findingsOf(market.services, warnings, Date.now());
    if (json) printJson(findings);
    else
      printTable(
        ['CHECK', 'FINDING'],
        findings.map(({ check, wrong }) => [check, wrong ?? 'ok']),
      );
    if (findings.some(({ wrong }) => wrong !== null)) process.exitCode = EXIT.refused;
  } finally {
    await market.close();
  }
}

type Examined = Pick<Services, 'events' | 'views' | 'queue' | 'privateTexts' | 'secretError'>;

/** @param warnings what a start complains of */
export async function findingsOf(
  services: Examined,
  warnings: readonly string[],
  nowMs: number,
): Promise<readonly Finding[]> {
  const ask = (engine: Engine) => () => askEngine(engine, services, true);
  const checks: Readonly<Record<string, () => unknown>> = {
    log: ask('log'),
    views: ask('views'),
    queue: ask('queue'),
    'account keys': ask('account-keys'),
    'signing secret': () => failing(services.secretError()),
    clock: () => checkClock(services.views, nowMs),
  };
  const asked = Object.entries(checks).map(async ([check, run]) => ({ check, wrong: await wrongOf(run) }));
  const atStart = warnings.length === 0 ? [null] : warnings;
  return [...atStart.map((wrong) => ({ check: 'start', wrong })), ...(await Promise.all(asked))];
}

/** Why it cannot be done; null where it can. */
async function wrongOf(ask: () => unknown): Promise<string | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function failing(error: Error | null): void {
  if (error !== null) throw error;
}

/** A job of a time that is yet to come was made under a clock that was fast, or this one is slow. */
async function checkClock(views: Services['views'], nowMs: number): Promise<void> {
  const newest = { filter: {}, order: '-createdAt', limit: 1 };
  for (const row of (await views.page(jobsProjection.name, newest)).rows) {
    const { createdAt } = parseDocument<JobDocument>(row);
    if (Date.parse(createdAt) > nowMs + MAX_CLOCK_LEAD_MS)
      throw new Error(
        `it is ${new Date(nowMs).toISOString()} here, and the newest job is of ${createdAt}: put the clock right`,
      );
  }
}
