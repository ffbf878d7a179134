#!/usr/bin/env node
/** The `bourse` command: everything that is done from a terminal, beside a serving process or without one. */
import { Command } from 'commander';
import { auditCommand } from './audit.ts';
import { webhookCommand } from './webhook.ts';
import { endWith } from './exit.ts';
import { explainFailure } from './explain-failure.ts';
import { keyCommand } from './key.ts';
import { mcpCommand } from './mcp.ts';
import { migrateCommand } from './migrate.ts';
import { projectionsCommand } from './projections.ts';
import { publishCommand } from './publish.ts';
import { seedCommand } from './seed.ts';
import { serveCommand } from './serve.ts';
import { verifyCommand } from './verify.ts';

const program = new Command('bourse')
  .description('A marketplace where software agents buy within spending mandates that anyone can audit.')
  .showHelpAfterError('(add --help for what is possible)')
  .addCommand(serveCommand())
  .addCommand(seedCommand())
  .addCommand(keyCommand())
  .addCommand(publishCommand())
  .addCommand(verifyCommand())
  .addCommand(auditCommand())
  .addCommand(webhookCommand())
  .addCommand(mcpCommand())
  .addCommand(projectionsCommand())
  .addCommand(migrateCommand());

throwInsteadOfExiting(program);
process.stdout.on('error', unlessClosed);
try {
  await program.parseAsync();
} catch (error) {
  endWith(explainFailure(error));
}

/** Whoever has read enough (`| head`) closes the pipe: the work goes on, and nothing went wrong. */
function unlessClosed(error: Error): void {
  if (!('code' in error && error.code === 'EPIPE')) throw error;
}

/** Commander would exit with 1 for what is typed wrong; our exit codes tell that apart from a fault. */
function throwInsteadOfExiting(command: Command): void {
  command.exitOverride();
  for (const subcommand of command.commands) throwInsteadOfExiting(subcommand);
}
