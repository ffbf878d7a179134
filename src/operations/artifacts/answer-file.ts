/** A file as the answer, or the part of it that is asked for, by the conditions of RFC 9110 in the request's head. */
import { z } from 'zod';
import { FileAnswer, type FileFacts, type Outcome } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { wantedRange } from './wanted-range.ts';

const exampleTag = `"${'0'.repeat(64)}"`;
// The fields of a request's head are bounded together, by its transport: a longer one is never read.
export const condition = (description: string, example: string) =>
  z.string().optional().meta({ description, example });

/** As they are sent in the head: `fileHeaders` says under which names. */
export const fileConditions = {
  range: condition('A part of the file, such as bytes=0-1023.', 'bytes=0-1023'),
  ifRange: condition('The ETag that the range is of.', exampleTag),
  ifMatch: condition('ETags of which the file must have one.', exampleTag),
  ifNoneMatch: condition('ETags that you have: 304 where it is one of them.', exampleTag),
};

type FileConditions = Partial<Record<keyof typeof fileConditions, string | undefined>>;

/** @param open gives the bytes from `first` to `last`, both inclusive */
export function answerFile(
  file: FileFacts,
  { range, ifRange, ifMatch, ifNoneMatch }: FileConditions,
  open: (first: number, last: number) => Promise<AsyncIterable<Uint8Array>>,
): Outcome<unknown> {
  const tag = `"${file.sha256}"`;
  if (ifMatch !== undefined && !namesTag(ifMatch, tag))
    return refuse('precondition_failed', `The file is another one: its ETag is ${tag}.`, {
      details: [{ path: 'If-Match', message: 'names no ETag of the file', limit: tag }],
    });
  const { sha256: revision, sizeBytes } = file;
  if (ifNoneMatch !== undefined && namesTagWeakly(ifNoneMatch, tag))
    return {
      ok: true,
      data: new FileAnswer(file, 'not modified', () => Promise.resolve(noBytes())),
      revision,
    };
  const wanted = wantedRange(ifRange === undefined || ifRange === tag ? range : undefined, sizeBytes);
  if (wanted === 'beyond') {
    return refuse('range_not_satisfiable', `The file has ${sizeBytes} bytes.`, {
      details: [{ path: 'Range', message: `the file has ${sizeBytes} bytes`, limit: String(sizeBytes) }],
    });
  }
  const first = wanted?.first ?? 0;
  const last = wanted?.last ?? sizeBytes - 1;
  const bytes = async (): Promise<AsyncIterable<Uint8Array>> =>
    sizeBytes === 0 ? noBytes() : open(first, last);
  return { ok: true, data: new FileAnswer(file, wanted, bytes), revision };
}

/** RFC 9110 §13.1.1, in the strong comparison. Tags of files have no commas. */
export function namesTag(list: string, tag: string): boolean {
  return list.trim() === '*' || list.split(',').some((one) => one.trim() === tag);
}

/** §13.1.2: a weak tag is as good. */
export function namesTagWeakly(list: string, tag: string): boolean {
  return namesTag(list.replaceAll(/\bW\/"/g, '"'), tag);
}

async function* noBytes(): AsyncIterable<Uint8Array> {
  // An empty file.
}
