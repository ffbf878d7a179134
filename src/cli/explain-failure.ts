/** One line for what the user can mend; a stack only for what is our fault. */
import { CommanderError } from 'commander';
import { StoreUnavailable } from '../../events/event-store.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { WrongSetting } from '../config.ts';
import { EXIT, Refused } from './exit.ts';

/** Writes to standard error and answers with the exit code. */
export function explainFailure(error: unknown): number {
  // Commander has said itself what was wrong with the arguments, or has shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof WrongSetting) return say(error.message, EXIT.usage);
  if (error instanceof Refused) return say(error.message, EXIT.refused);
  if (error instanceof StoreUnavailable || error instanceof ViewsUnavailable) {
    return say(error.message, EXIT.unavailable);
  }
  const taken = takenPort(error);
  if (taken !== undefined) return say(`port ${taken} is taken: set PORT to a free one`, EXIT.unavailable);
  console.error(error);
  return EXIT.fault;
}

function say(message: string, code: number): number {
  console.error(`bourse: ${message}`);
  return code;
}

function takenPort(error: unknown): string | undefined {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken && 'port' in error ? String(error.port) : undefined;
}
