/** The names of streams that are about other streams. */
export const METASTREAM_PREFIX = '$$';

export function metastreamOf(stream: string): string {
  return `${METASTREAM_PREFIX}${stream}`;
}

/** The stream that a metastream is about; null for any other stream. */
export function originalOf(stream: string): string | null {
  return stream.startsWith(METASTREAM_PREFIX) ? stream.slice(METASTREAM_PREFIX.length) : null;
}

/** Whether an append to it is more than a server can take. */
export function isNameless(stream: string): boolean {
  return stream === '' || stream === METASTREAM_PREFIX;
}
