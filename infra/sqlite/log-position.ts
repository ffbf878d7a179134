/** Positions of the embedded log: the row number, padded so that the text sorts as the number does. */

const DIGITS = 16;

export function toPosition(row: number): string {
  return String(row).padStart(DIGITS, '0');
}

export function isPosition(text: string): boolean {
  return /^\d{16}$/.test(text);
}

/** @throws {RangeError} the text is no position of this log */
export function toRow(position: string): number {
  if (!isPosition(position)) throw new RangeError(`${position} is not a position of this log`);
  return Number(position);
}
