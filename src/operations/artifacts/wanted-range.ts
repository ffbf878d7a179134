/** The part of a file that a Range header asks for (RFC 9110 §14.2): one range of bytes, or the whole. */

export interface ByteRange {
  /** Inclusive both. */
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)$/i;

/** Null for the whole: also where the header is of another kind or asks for several parts, which may be ignored. */
export function wantedRange(range: string | undefined, sizeBytes: number): ByteRange | 'beyond' | null {
  const [, from = '', to = ''] = ONE_RANGE.exec(range?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'beyond' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return null;
  return first >= sizeBytes ? 'beyond' : { first, last };
}
