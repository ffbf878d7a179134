/** One line for what the user can mend; a stack only for what is our fault. */
import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { failureKind, reasonOf } from '../logging/failures.ts';
import { WrongSetting } from '../settings/config.ts';
import { NotReached } from '../verifying/fetch-documents.ts';
import { complain } from './print.ts';
import { printableLines } from '../logging/printable.ts';
import { EXIT, Refused, WrongUsage } from './exit.ts';

/** Writes to standard error and answers with the exit code. */
export function explainFailure(error: unknown): number {
  // Commander has said itself what was wrong with the arguments, or has shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof WrongSetting || error instanceof WrongUsage) return say(error.message, EXIT.usage);
  if (error instanceof Refused) return say(error.message, EXIT.refused);
  if (error instanceof Error && isUnavailable(error)) return say(reasonOf(error), EXIT.unavailable);
  const port = portProblem(error);
  if (port !== undefined) return say(port, EXIT.unavailable);
  console.error(printableLines(inspect(error)));
  return EXIT.fault;
}

function isUnavailable(error: Error): boolean {
  return failureKind(error) !== 'bug' || error instanceof NotReached;
}

function say(message: string, code: number): number {
  complain(message);
  return code;
}

/** Why the service cannot listen, if that is what went wrong. */
function portProblem(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'port' in error)) return undefined;
  if (error.code === 'EADDRINUSE') return `port ${String(error.port)} is taken: set PORT to a free one`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT')
    return `this machine cannot listen on ${'address' in error ? String(error.address) : 'HOST'}: set HOST to an address of it`;
  if (error.code === 'EACCES')
    return `port ${String(error.port)} may not be used: set PORT to one above 1023`;
  return undefined;
}
