/** Reads a file that somebody named, whole and no larger than it may be: a device has no size and no end. */
import { constants, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** Without waiting for whoever may write: a pipe without a writer would be waited for for ever. */
const READ_AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

/** The text, or what is wrong with the file. */
export async function readBounded(
  file: string,
  maxBytes: number,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  const handle = await open(file, READ_AT_ONCE);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { fault: 'it is no regular file' };
    if (stats.size > maxBytes) return tooLarge(stats.size, maxBytes);
    // One more than may be: it may grow meanwhile, and some files do not say how large they are.
    const bytes = await buffer(handle.createReadStream({ end: maxBytes, autoClose: false }));
    return bytes.length > maxBytes ? tooLarge(bytes.length, maxBytes) : { text: bytes.toString('utf8') };
  } finally {
    await handle.close();
  }
}

function tooLarge(bytes: number, maxBytes: number) {
  return { fault: `the file has ${bytes} bytes; at most ${maxBytes} are read` };
}
