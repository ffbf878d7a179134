/**
 * The writes of a ledger in a file that is only appended to: a line for each, its CRC-32 and the write as JSON. A line
 * is on the disk before its write is acknowledged, so a process may be killed at any moment; a last line that was not
 * finished is cut off.
 */
import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { createLedger, type Ledger, type Write } from './ledger.ts';

export interface KeptLedger {
  readonly ledger: Ledger;
  readonly close: () => void;
}

const BYTES = z.base64().transform((text) => Buffer.from(text, 'base64'));
const WRITE = z.object({
  stream: z.string(),
  events: z.array(
    z.object({ id: z.string(), type: z.string(), isJson: z.boolean(), data: BYTES, metadata: BYTES }),
  ),
  isTombstone: z.boolean(),
  created: z.iso.datetime().transform((text) => new Date(text)),
});

/**
 * The ledger whose writes are in the file, and will be.
 * @throws {Error} the file cannot be opened, or is damaged before its last line
 */
export function openKeptLedger(path: string): KeptLedger {
  const bytes = readIfThere(path);
  const { writes, wholeBytes } = writesIn(bytes, path);
  const file = openSync(path, 'a');
  ftruncateSync(file, wholeBytes);
  const keep = (write: Write): void => {
    writeWhole(file, lineOf(write));
    fdatasyncSync(file);
  };
  // Of an empty file nothing is known: it begins as a fresh server does.
  const ledger = createLedger({ keep, ...(writes.length > 0 && { writes }) });
  return { ledger, close: () => closeSync(file) };
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.of();
    throw error;
  }
}

const LINE_FEED = 0x0a;

/** What the file holds, and how long it is up to there. */
function writesIn(bytes: Buffer, path: string): { readonly writes: Write[]; readonly wholeBytes: number } {
  const writes: Write[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, begin)) {
    const write = writeIn(bytes.subarray(begin, end));
    if (write === null && end + 1 < bytes.length)
      throw new Error(`${path} is damaged: line ${writes.length + 1} is none of a double's`);
    if (write === null) break;
    writes.push(write);
    begin = end + 1;
  }
  return { writes, wholeBytes: begin };
}

function lineOf({ stream, events, isTombstone, created }: Write): Buffer {
  const json = JSON.stringify({
    stream,
    events: events.map(({ id, type, isJson, data, metadata }) => {
      return { id, type, isJson, data: base64(data), metadata: base64(metadata) };
    }),
    isTombstone,
    created,
  });
  return Buffer.from(`${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
}

/** Null where it is not what was written. */
function writeIn(line: Buffer): Write | null {
  const [, sum = '', json = ''] = /^([0-9a-f]{8}) (.*)$/s.exec(line.toString('utf8')) ?? [];
  return sum !== '' && crc32(json) === Number.parseInt(sum, 16) ? WRITE.parse(JSON.parse(json)) : null;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** The system may take only a part at a time. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}
