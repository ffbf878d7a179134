/** Headers of which there may be one, and of which node silently takes the first or joins all. */

/** No two of the same length, so that most names are told apart without being read. */
const BY_LENGTH = new Map(
  ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key'].map((name, place) => [
    name.length,
    { name, lower: name.toLowerCase(), bit: 1 << place },
  ]),
);

/**
 * The first header that comes twice and must not, or null. Two readers of one request, such as a proxy and we, could
 * each go by another of the two.
 *
 * @param rawHeaders names and values in turn, as node gives them
 */
export function doubledHeader(rawHeaders: readonly string[]): string | null {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? '';
    const single = BY_LENGTH.get(sent.length);
    if (single === undefined || sent.toLowerCase() !== single.lower) continue;
    if ((seen & single.bit) !== 0) return single.name;
    seen |= single.bit;
  }
  return null;
}
