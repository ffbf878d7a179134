/** `bourse serve`: the server, until it is told to stop. */
import { Command } from 'commander';
import { openMarket } from '../app.ts';
import { readConfig } from '../config.ts';
import { printLine } from './print.ts';
import { runUntilStopped } from '../serve.ts';
import { settingsHelp } from '../settings-reference.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the marketplace until SIGINT or SIGTERM')
    .option('--seed', 'fill an empty market with demonstration data first')
    .addHelpText('after', () => `\n${settingsHelp()}`)
    .action((options: { seed?: true }) =>
      runUntilStopped(readConfig(), openMarket, { seed: options.seed === true, print: printLine }),
    );
}
