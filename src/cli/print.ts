/** What the commands print: JSON for machines, aligned columns for people. */

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

export function printLine(line: string): void {
  console.log(line);
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  console.log(line(head));
  for (const row of rows) console.log(line(row));
}

/** Cents as people write an amount. */
export function dollars(cents: number): string {
  return `USD ${(cents / 100).toFixed(2)}`;
}
