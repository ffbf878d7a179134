/** What a stream's metadata (the last event of `$$name`) hides from those who read the stream. `$all` ignores it. */
import type { Ledger, StoredEvent } from './ledger.ts';

/** `$tb` of a soft-deleted stream: the server's greatest long, as near as JSON comes to it. */
export const TRUNCATED_FOR_EVER = 2 ** 63;

const METASTREAM = '$$';

export interface StreamMetadata {
  readonly $maxCount?: number;
  /** Seconds. */
  readonly $maxAge?: number;
  /** The first revision that is left. */
  readonly $tb?: number;
}

export function metastreamOf(stream: string): string {
  return `${METASTREAM}${stream}`;
}

/** The stream that a metastream is about; null for any other stream. */
export function originalOf(stream: string): string | null {
  return stream.startsWith(METASTREAM) ? stream.slice(METASTREAM.length) : null;
}

export function metadataOf(ledger: Ledger, stream: string): StreamMetadata {
  const last = ledger.stream(metastreamOf(stream)).at(-1);
  return last === undefined ? {} : JSON.parse(Buffer.from(last.data).toString('utf8'));
}

export function isSoftDeleted(ledger: Ledger, stream: string): boolean {
  return metadataOf(ledger, stream).$tb === TRUNCATED_FOR_EVER;
}

/** The events of the stream that a reader may see, in order. */
export function visibleEvents(ledger: Ledger, stream: string, now: Date): readonly StoredEvent[] {
  const all = ledger.stream(stream);
  const { $maxCount, $maxAge, $tb } = metadataOf(ledger, stream);
  if ($maxCount === undefined && $maxAge === undefined && $tb === undefined) return all;
  const first = Math.max(0, $tb ?? 0, $maxCount === undefined ? 0 : all.length - $maxCount);
  const oldestMs = $maxAge === undefined ? 0 : now.getTime() - $maxAge * 1_000;
  return all.slice(first).filter(({ created }) => created.getTime() >= oldestMs);
}
