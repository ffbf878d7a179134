/**
 * A file beside the log that says where the log ended when somebody was last told of an append: the one follower that is
 * never behind. It is written before the answer and never synced: after a crash of the process it is there, after a
 * crash of the machine it may be older than the log, and then it tells less.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { hash } from 'node:crypto';
import { type LogMark, parseLogMark } from '../../events/log-mark.ts';

/** Of one size, so that it is overwritten in place. A mark has some 350 bytes. */
const BYTES = 512;
const CHECKSUM_DIGITS = 16;

export interface HeadWitness {
  readonly write: (mark: LogMark | null) => void;
  /** Whether its path still leads to the file that is written. */
  readonly isInPlace: () => boolean;
  readonly close: () => void;
}

export function witnessPath(logPath: string): string {
  return `${logPath}-head`;
}

/** Opens it for writing, and makes it where there is none. */
export function openHeadWitness(logPath: string): HeadWitness {
  const file = openSync(witnessPath(logPath), constants.O_WRONLY | constants.O_CREAT, 0o600);
  const bytes = Buffer.alloc(BYTES);
  return {
    write(mark) {
      const text = mark === null ? '' : JSON.stringify(mark);
      bytes.fill(' ');
      bytes.write(text === '' ? '' : `${checksum(text)} ${text}`, 'latin1');
      bytes.write('\n', BYTES - 1, 'latin1');
      writeSync(file, bytes, 0, BYTES, 0);
    },
    isInPlace() {
      const open = fstatSync(file);
      const found = statSync(witnessPath(logPath), { throwIfNoEntry: false });
      return found?.ino === open.ino && found.dev === open.dev;
    },
    close: () => closeSync(file),
  };
}

/** Null where there is none, or it cannot be read or was damaged itself: then it tells nothing. */
export function readHeadWitness(logPath: string): LogMark | null {
  let line: string;
  try {
    line = readFileSync(witnessPath(logPath), 'latin1').trimEnd();
  } catch {
    return null;
  }
  const text = line.slice(CHECKSUM_DIGITS + 1);
  return line.startsWith(`${checksum(text)} `) ? parseLogMark(text) : null;
}

function checksum(text: string): string {
  return hash('sha256', text, 'hex').slice(0, CHECKSUM_DIGITS);
}
