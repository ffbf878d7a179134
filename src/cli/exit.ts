/** What the exit codes of `bourse` mean. */
export const EXIT = {
  ok: 0,
  /** A fault of the program. */
  fault: 1,
  /** Wrong arguments or settings. */
  usage: 2,
  /** The command was understood and refused, or an audit found something. */
  refused: 3,
  /** The data folder or an engine cannot be used now. */
  unavailable: 4,
  /** Told to stop (Ctrl-C) before it was done. */
  interrupted: 130,
} as const;

/** The command was understood and cannot be done; its message says why and what would be right. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

const LAST_MOMENT_MS = 1_000;

/** Ends the process with this code, after a second at the latest: a client may have left a dead connection open. */
export function endWith(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(code), LAST_MOMENT_MS).unref();
}
