/** The exit codes of `bourse`, and the errors that lead to them. */
import type { Refused as RefusedByOperation } from '../operations/refusals.ts';

export const EXIT = {
  ok: 0,
  fault: 1,
  usage: 2,
  refused: 3,
  unavailable: 4,
  interrupted: 130,
} as const;

/** As `bourse --help` tells them. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  fault: 'a fault of the program',
  usage: 'wrong arguments or settings',
  refused: 'understood and refused, or a check found something wrong',
  unavailable: 'the data folder, an engine or an instance cannot be used now',
  interrupted: 'told to stop (Ctrl-C) before it was done',
};

/** What was typed is wrong in a way that only shows when it is looked at as a whole. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** The command was understood and cannot be done; its message says why and what would be right. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** What came of an operation. @throws {Refused} its no */
export function accepted<Done extends { readonly ok: true }>(outcome: Done | RefusedByOperation): Done {
  if (outcome.ok) return outcome;
  throw new Refused(outcome.refusal.message);
}

const LAST_MOMENT_MS = 1_000;

/** Ends the process with this code, after a second at the latest: a client may have left a dead connection open. */
export function endWith(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(code), LAST_MOMENT_MS).unref();
}
