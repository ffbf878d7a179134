/** What the commands print: JSON for machines, aligned columns for people. Nothing else of them writes to a terminal. */
import { printable, printableJson } from '../logging/printable.ts';

export function printJson(value: unknown): void {
  console.log(printableJson(JSON.stringify(value, null, 2)));
}

export function printLine(line: string): void {
  console.log(printable(line));
}

/** To standard error. */
export function complain(line: string): void {
  console.error(printable(`bourse: ${line}`));
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_title, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  for (const row of shown)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** Cents as people write an amount. */
export function dollars(cents: number): string {
  return `USD ${(cents / 100).toFixed(2)}`;
}
