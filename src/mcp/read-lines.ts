/** The lines of a stream, as they come. */
import type { Readable } from 'node:stream';
import { GatheredBytes } from '../ports/gathered-bytes.ts';

const LINE_FEED = 0x0a;

export interface LineLimits {
  /** Of one line. */
  readonly maxBytes: number;
  /** While so many lines are under way no more are read, but for what has come with the last of them. */
  readonly maxUnderWay: number;
}

/**
 * Gives each line of UTF-8 to `take`, without its end.
 * @param take resolves when it is done with the line, and does not fail
 * @returns why it ended: null at the end of the stream or when the signal said so, an error when the stream failed or a
 * line was longer than `maxBytes`
 */
export function readLines(
  input: Readable,
  { maxBytes, maxUnderWay }: LineLimits,
  signal: AbortSignal,
  take: (line: string) => Promise<void>,
): Promise<Error | null> {
  return new Promise((resolve) => {
    let underWay = 0;
    let hasEnded = false;
    const gathered = new GatheredBytes();
    const begin = (line: string): void => {
      underWay += 1;
      if (underWay >= maxUnderWay) input.pause();
      void take(line).finally(() => {
        underWay -= 1;
        if (!hasEnded && underWay < maxUnderWay) input.resume();
      });
    };
    const onData = (chunk: Buffer): void => {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        gathered.add(chunk.subarray(from, at));
        const line = gathered.take().toString('utf8');
        from = at + 1;
        begin(line.endsWith('\r') ? line.slice(0, -1) : line);
      }
      gathered.add(chunk.subarray(from));
      if (gathered.length > maxBytes) end(new Error(`A line has more than ${maxBytes} bytes`));
    };
    const onEnd = (): void => end(null);
    const end = (reason: Error | null): void => {
      hasEnded = true;
      input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', end);
      input.pause();
      resolve(reason);
    };
    signal.addEventListener('abort', onEnd, { once: true });
    input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', end);
  });
}
