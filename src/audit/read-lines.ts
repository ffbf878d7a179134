/** The lines of a file as a stream: strict UTF-8, ended by line feeds and nothing else. */
import { createReadStream } from 'node:fs';

/** An end that lacks its line feed is given with a mark that no line has, so that it is found to be changed. */
const UNENDED = '\u0000';
/** Longer than any line we write: what is not ours is not read into memory whole. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

export async function* readLines(path: string): AsyncIterable<string> {
  let rest = '';
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  for await (const chunk of createReadStream(path)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS) break;
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest + UNENDED;
}
