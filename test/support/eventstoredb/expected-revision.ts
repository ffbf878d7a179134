/** The revision a write expects, as the protocol writes it in three messages of one shape, and back. */
import type { ExpectedRevision } from './writing.ts';

export interface ExpectedRevisionOptions {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/** Null when there is none, which the server refuses. */
export function expectedRevision(
  options: ExpectedRevisionOptions,
  revision: string | null,
): ExpectedRevision | null {
  if (revision !== null) return BigInt(revision);
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream_exists' : null;
}

/** How the server's own code, and so its error trailers, write the expectations that are no revisions. */
export function asNumber(expected: ExpectedRevision): bigint {
  switch (expected) {
    case 'no_stream':
      return -1n;
    case 'any':
      return -2n;
    case 'stream_exists':
      return -4n;
    default:
      return expected;
  }
}

export interface WrongVersionMessage<Empty> {
  setExpectedAny(empty: Empty): unknown;
  setExpectedStreamExists(empty: Empty): unknown;
  setExpectedNoStream(empty: Empty): unknown;
}

/** Writes what was expected into an answer; a revision is written by `setRevision`. */
export function setExpected<Empty>(
  message: WrongVersionMessage<Empty>,
  expected: ExpectedRevision,
  empty: Empty,
  setRevision: (revision: bigint) => void,
): void {
  switch (expected) {
    case 'any':
      message.setExpectedAny(empty);
      return;
    case 'stream_exists':
      message.setExpectedStreamExists(empty);
      return;
    case 'no_stream':
      message.setExpectedNoStream(empty);
      return;
    default:
      setRevision(expected);
  }
}
