/** Those that are told together mostly are of one millisecond. */
let latest = { ms: Number.NaN, text: '' };

/** An instant as this program writes every one (RFC 3339, UTC), given as Unix milliseconds. */
export function instantAt(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}
