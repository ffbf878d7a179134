/**
 * Whether a write-ahead log lacks pages that were copied into its file, or were being copied when its process was killed.
 * Without them the file is a mixture, or half a copy, and reads like any other. The `-shm`, which a kill leaves, says how
 * far copying had begun and how far it had come (https://sqlite.org/walformat.html). SQLite makes it anew whenever it opens
 * the files after a kill, so it is asked before. It is never synced: after a crash of the machine it may be older than the
 * write-ahead log beside it, and is not believed.
 */
import { fstatSync } from 'node:fs';
import { uptime } from 'node:os';
import { readAt, readFrom } from './read-from.ts';

/** The header is there twice, then comes the state of copying. */
const HEADER_BYTES = 48;
const MAX_FRAME_AT = 16;
const SALTS_AT = 32;
const CHECKSUM_AT = 40;
const COPIED_AT = 96;
const BEGUN_AT = 128;
const READ_BYTES = 132;

/** Of the write-ahead log, and of each frame before its page. */
const WAL_HEADER_BYTES = 32;
const WAL_PAGE_BYTES_AT = 8;
const WAL_SALTS_AT = 16;
const WAL_CHECKSUM_AT = 24;
const FRAME_HEADER_BYTES = 24;
const FRAME_SALTS_AT = 8;
const FRAME_CHECKSUM_AT = 16;
const MAX_PAGE_BYTES = 65_536;
/** Of one whose checksums are of little-endian words; no other is read here. */
const LITTLE_ENDIAN_MAGIC = 0x377f0682;

/** To be asked before this process opens the file: closing a descriptor gives up its locks. */
export function lacksCopiedPages(path: string): boolean {
  const copying = copyingOf(`${path}-shm`);
  if (copying === null || copying.begun === 0) return false;
  const { begun, copied, salts } = copying;
  const frames = soundFrames(`${path}-wal`, salts, begun);
  // It is another write-ahead log than the one that was copied.
  if (frames === null) return false;
  // Without any of it the file is whole, as of an earlier moment, if copying had come to its end.
  return frames < begun && !(frames === 0 && copied === begun);
}

interface Copying {
  /** How many frames of the write-ahead log were to be copied, and how many were. */
  readonly begun: number;
  readonly copied: number;
  readonly salts: Buffer;
}

/** Null where it is not there, is damaged, or says nothing. */
function copyingOf(path: string): Copying | null {
  const bytes = Buffer.alloc(READ_BYTES);
  // By the clock that files are dated by, also where tests have set Date ahead.
  const bootedAtMs = performance.timeOrigin + performance.now() - uptime() * 1_000;
  const isRead = readFrom(path, (file) => fstatSync(file).mtimeMs >= bootedAtMs && readAt(file, 0, bytes));
  if (isRead !== true) return null;
  const header = bytes.subarray(0, HEADER_BYTES);
  if (!header.equals(bytes.subarray(HEADER_BYTES, 2 * HEADER_BYTES))) return null;
  const checksum = checksumOf(bytes, 0, CHECKSUM_AT, [0, 0]);
  if (!isAt(header, CHECKSUM_AT, checksum, 'LE')) return null;
  const begun = bytes.readUInt32LE(BEGUN_AT);
  const copied = bytes.readUInt32LE(COPIED_AT);
  if (begun > header.readUInt32LE(MAX_FRAME_AT) || copied > begun) return null;
  return { begun, copied, salts: Buffer.from(header.subarray(SALTS_AT, CHECKSUM_AT)) };
}

/** How many frames SQLite would take of the one that has these salts, up to so many; null where it has others. */
function soundFrames(path: string, salts: Buffer, upTo: number): number | null {
  const frames = readFrom(path, (file) => {
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    if (!readAt(file, 0, header)) return 0;
    const checksum = checksumOf(header, 0, WAL_CHECKSUM_AT, [0, 0]);
    const pageBytes = header.readUInt32BE(WAL_PAGE_BYTES_AT);
    if (header.readUInt32BE(0) !== LITTLE_ENDIAN_MAGIC || pageBytes > MAX_PAGE_BYTES) return 0;
    if (!isAt(header, WAL_CHECKSUM_AT, checksum, 'BE')) return 0;
    if (!header.subarray(WAL_SALTS_AT, WAL_CHECKSUM_AT).equals(salts)) return OTHER_SALTS;
    return soundFramesOf(file, { salts, pageBytes, checksum, upTo });
  });
  return frames === OTHER_SALTS ? null : (frames ?? 0);
}

const OTHER_SALTS = -1;

interface Frames {
  readonly salts: Buffer;
  readonly pageBytes: number;
  /** Of the header: that of each frame covers all before it. */
  readonly checksum: Checksum;
  readonly upTo: number;
}

function soundFramesOf(file: number, { salts, pageBytes, checksum, upTo }: Frames): number {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
  let sum = checksum;
  for (let frames = 0; frames < upTo; frames += 1) {
    const at = WAL_HEADER_BYTES + frames * frame.length;
    if (!readAt(file, at, frame)) return frames;
    sum = checksumOf(frame, 0, FRAME_SALTS_AT, sum);
    sum = checksumOf(frame, FRAME_HEADER_BYTES, frame.length, sum);
    const isOfThis = frame.subarray(FRAME_SALTS_AT, FRAME_CHECKSUM_AT).equals(salts);
    if (!isOfThis || !isAt(frame, FRAME_CHECKSUM_AT, sum, 'BE')) return frames;
  }
  return upTo;
}

type Checksum = readonly [number, number];

/** Words in the byte order of this machine: a little-endian one, or nothing here is sound. */
function checksumOf(bytes: Buffer, from: number, to: number, [first, second]: Checksum): Checksum {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + from, (to - from) / 4);
  let [one, two] = [first, second];
  for (let at = 0; at < words.length; at += 2) {
    one = (one + (words[at] ?? 0) + two) | 0;
    two = (two + (words[at + 1] ?? 0) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}

function isAt(bytes: Buffer, at: number, [one, two]: Checksum, order: 'LE' | 'BE'): boolean {
  return order === 'LE'
    ? bytes.readUInt32LE(at) === one && bytes.readUInt32LE(at + 4) === two
    : bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;
}
