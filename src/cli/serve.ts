/** `bourse serve`: the server, until it is told to stop. */
import { Command, Option } from 'commander';
import { openMarket } from '../composition/app.ts';
import { readConfig } from '../settings/config.ts';
import { printLine } from './print.ts';
import { type Role, ROLES } from '../settings/roles.ts';
import { runUntilStopped } from '../composition/serve.ts';
import { settingsHelp } from '../settings/settings-reference.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the marketplace until SIGINT or SIGTERM')
    .option('--seed', 'fill an empty market with demonstration data first')
    .addOption(new Option('--role <role>', 'what this process does of the whole').choices(ROLES))
    .addHelpText('after', () => `\n${settingsHelp()}`)
    .action(({ seed, role }: { readonly seed?: true; readonly role?: Role }) =>
      runUntilStopped(readConfig(undefined, role && { ROLE: role }), openMarket, {
        seed: seed === true,
        print: printLine,
      }),
    );
}
