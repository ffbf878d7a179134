/** The lines of a source, in bounded memory: a line that is too long is dropped while it comes. */
import { asBuffer } from '../ports/gathered-bytes.ts';
import { MAX_ROW_BYTES } from './source-row.ts';

const LINE_FEED = 0x0a;

/** Null for a line that is too long. */
export type Line = Buffer | null;

/** Lines in groups, as many as a chunk of bytes ends. The last one needs no line feed. */
export async function* splitLines(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes = MAX_ROW_BYTES,
): AsyncGenerator<readonly Line[], void> {
  let rest: Buffer = Buffer.alloc(0);
  let isDropping = false;
  for await (const chunk of bytes) {
    const lines: Line[] = [];
    const all = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = all.indexOf(LINE_FEED); end !== -1; end = all.indexOf(LINE_FEED, from)) {
      lines.push(isDropping || end - from > maxBytes ? null : all.subarray(from, end));
      isDropping = false;
      from = end + 1;
    }
    rest = all.subarray(from);
    if (rest.length > maxBytes) {
      isDropping = true;
      rest = Buffer.alloc(0);
    }
    if (lines.length > 0) yield lines;
  }
  if (isDropping) yield [null];
  else if (rest.length > 0) yield [rest];
}
