/** The lines of a stream, as they come. */
import type { Readable } from 'node:stream';

const LINE_FEED = 0x0a;

/**
 * Gives each line of UTF-8 to `take`, without its end.
 * @returns why it ended: null at the end of the stream or when the signal said so, an error when the stream failed or a
 * line was longer than `maxBytes`
 */
export function readLines(
  input: Readable,
  maxBytes: number,
  signal: AbortSignal,
  take: (line: string) => void,
): Promise<Error | null> {
  return new Promise((resolve) => {
    let parts: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        const line = Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8');
        [parts, size, from] = [[], 0, at + 1];
        take(line.endsWith('\r') ? line.slice(0, -1) : line);
      }
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > maxBytes) end(new Error(`A line has more than ${maxBytes} bytes`));
    };
    const onEnd = (): void => end(null);
    const end = (reason: Error | null): void => {
      input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', end);
      input.pause();
      resolve(reason);
    };
    signal.addEventListener('abort', onEnd, { once: true });
    input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', end);
  });
}
