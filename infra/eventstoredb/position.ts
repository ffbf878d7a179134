/** Positions of EventStoreDB's log: commit and prepare, each padded so that the text sorts as the log does. */

export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** Before every event. */
export const BEGINNING: LogPosition = { commit: 0n, prepare: 0n };

/** Positions are signed numbers of 64 bits on the server: 19 digits hold them. */
const DIGITS = 19;
const FORM = /^(?<commit>\d{19})-(?<prepare>\d{19})$/;
const MAX_NUMBER = 2n ** 63n - 1n;

export function toText({ commit, prepare }: LogPosition): string {
  return positionText(String(commit), String(prepare));
}

/** Of numbers in decimal digits, as the protocol has them. */
export function positionText(commit: string, prepare: string): string {
  return `${commit.padStart(DIGITS, '0')}-${prepare.padStart(DIGITS, '0')}`;
}

/** Whether the text has the form of a position of EventStoreDB. */
export function isPosition(text: string): boolean {
  return FORM.test(text);
}

/** @throws {RangeError} the text is no position of this log */
export function fromText(text: string): LogPosition {
  const { commit, prepare } = FORM.exec(text)?.groups ?? {};
  if (commit === undefined || prepare === undefined)
    throw new RangeError(`${text} is not a position of EventStoreDB`);
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

/** Negative when `a` comes first, 0 when they are the same. */
export function compare(a: LogPosition, b: LogPosition): number {
  return order(a.commit, b.commit) || order(a.prepare, b.prepare);
}

/** Servers say "the end" by numbers that are no position. */
export function isPlace({ commit, prepare }: LogPosition): boolean {
  return commit <= MAX_NUMBER && prepare <= MAX_NUMBER;
}

function order(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
