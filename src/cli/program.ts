/** The command line as a whole: every command of `bourse`, and what is true of all of them. */
import { Command, Help } from 'commander';
import { VERSION } from '../settings/version.ts';
import { accountCommand } from './account.ts';
import { auditCommand } from './audit.ts';
import { doctorCommand } from './doctor.ts';
import { EXIT, EXIT_MEANINGS } from './exit.ts';
import { importCommand } from './import.ts';
import { keyCommand } from './key.ts';
import { listenCommand } from './listen.ts';
import { logCommand } from './log.ts';
import { mcpCommand } from './mcp.ts';
import { migrateCommand } from './migrate.ts';
import { planCommand } from './plan.ts';
import { projectionsCommand } from './projections.ts';
import { publishCommand } from './publish.ts';
import { reactionsCommand } from './reactions.ts';
import { seedCommand } from './seed.ts';
import { serveCommand } from './serve.ts';
import { verifyCommand } from './verify.ts';
import { webhookCommand } from './webhook.ts';

/** @throws {CommanderError} when it parses wrong arguments; it has said itself then what is wrong with them */
export function bourseProgram(): Command {
  const program = new Command('bourse')
    .description('A marketplace where software agents buy within spending mandates that anyone can audit.')
    .version(VERSION, '--version', 'print the version')
    // `bourse verify bundle … --version 1.0` means that of the bundle.
    .enablePositionalOptions()
    .addHelpText('after', EPILOGUE)
    .addCommand(serveCommand())
    .addCommand(seedCommand())
    .addCommand(keyCommand())
    .addCommand(accountCommand())
    .addCommand(planCommand())
    .addCommand(publishCommand())
    .addCommand(importCommand())
    .addCommand(verifyCommand())
    .addCommand(auditCommand())
    .addCommand(doctorCommand())
    .addCommand(logCommand())
    .addCommand(webhookCommand())
    .addCommand(listenCommand())
    .addCommand(mcpCommand())
    .addCommand(projectionsCommand())
    .addCommand(reactionsCommand())
    .addCommand(migrateCommand());
  behaveAlike(program);
  return program;
}

// The names are those of the table itself.
const exitNames = Object.keys(EXIT) as (keyof typeof EXIT)[];

const EPILOGUE = `
The settings come from the environment: bourse serve --help lists them. The commands work on the market that they name,
by default the one in ./data, also beside a serving process. Where there is none, serve, seed, key create, publish and
import make one, and all others refuse.

Exit codes:
${exitNames.map((name) => `  ${String(EXIT[name]).padStart(3)}  ${EXIT_MEANINGS[name]}`).join('\n')}`;

const plainHelp = new Help();

/** Commander would exit with 1 for what is typed wrong; our exit codes tell that apart from a fault. */
function behaveAlike(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(add --help for what is possible)')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'bourse: ')) })
    .configureHelp({
      optionDescription: (option) =>
        plainHelp.optionDescription(option) + (option.mandatory ? ' (required)' : ''),
    });
  for (const subcommand of command.commands) behaveAlike(subcommand);
}
