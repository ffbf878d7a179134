/** `bourse seed`: fill an empty market with a small believable one. */
import { Command } from 'commander';
import { assertNever } from '../../commands/decider.ts';
import { describeSeeding, type DemoSeeding, OVERTAKEN } from '../seeding/seed-demo.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { describeNoDemonstration, isForDemonstration } from '../settings/config.ts';
import { EXIT, Refused } from './exit.ts';
import type { JsonOption } from './options.ts';
import { complain, printJson, printLine } from './print.ts';
import { type CommandLine, onMarket, sayOnceSeen } from './with-market.ts';

export function seedCommand(): Command {
  return new Command('seed')
    .description('fill an empty market with demonstration data; changes nothing in one that is not empty')
    .option('--json', 'print JSON; the key of the demonstration buyer is in it')
    .action(onMarket(seed, { isMade: true, isTakenAsItIs: true }));
}

async function seed({ market, config }: CommandLine, { json }: JsonOption): Promise<void> {
  if (!isForDemonstration(config)) throw new Refused(describeNoDemonstration(config));
  const stop = listenForStop();
  // JSON is one document, at the end: the key is shown beside it.
  const show = (lines: readonly string[]): void => lines.forEach(json ? complain : printLine);
  const seeding = await market.seed({ signal: stop.signal, show }).finally(stop.release);
  if (seeding.kind === 'interrupted') process.exitCode = EXIT.interrupted;
  const say = (): void => {
    if (json) return printJson(seedingJson(seeding));
    for (const line of linesOf(seeding, config.baseUrl)) printLine(line);
  };
  // What is printed then works as printed.
  if (seeding.kind === 'seeded') await sayOnceSeen(market, say);
  else say();
}

function linesOf(seeding: DemoSeeding, baseUrl: string): readonly string[] {
  switch (seeding.kind) {
    case 'seeded':
      return describeSeeding(seeding, baseUrl);
    case 'not_empty':
      return ['The market is not empty: nothing was added.'];
    case 'overtaken':
      return [OVERTAKEN];
    case 'interrupted':
      return ['Stopped before the end; the same command again goes on from there.'];
    default:
      return assertNever(seeding);
  }
}

function seedingJson(seeding: DemoSeeding): object {
  const { kind: outcome } = seeding;
  if (outcome !== 'seeded') return { outcome };
  const { agencies, agents, bundles, evidence, rows } = seeding.report;
  return { outcome, agencies, agents, bundles, evidence, rows, ...seeding.buyer };
}
