/** What a stream's metadata (the last event of `$$name`) hides from those who read the stream. `$all` ignores it. */
import type { Ledger, StoredEvent } from './ledger.ts';
import { metastreamOf, originalOf } from './stream-names.ts';

/** `$tb` of a soft-deleted stream: the server's greatest long, as near as JSON comes to it. */
export const TRUNCATED_FOR_EVER = 2 ** 63;

/** Who may read, write, delete, and read and write the metadata: one name, or several, of users and groups. */
export type AccessList = Readonly<
  Partial<Record<'$r' | '$w' | '$d' | '$mr' | '$mw', string | readonly string[]>>
>;

export interface StreamMetadata {
  readonly $maxCount?: number;
  /** Seconds. */
  readonly $maxAge?: number;
  /** The first revision that is left. */
  readonly $tb?: number;
  readonly $acl?: AccessList;
}

/** None when there is none, and none when it is no JSON object: the server looks over what it cannot read. */
export function metadataOf(ledger: Ledger, stream: string): StreamMetadata {
  // Metastreams keep one event, which no metadata of theirs can change.
  if (originalOf(stream) !== null) return { $maxCount: 1 };
  return objectIn(ledger.stream(metastreamOf(stream)).at(-1));
}

/** The JSON object that an event holds; an empty one when there is no event, or no object in it. */
export function objectIn(event: StoredEvent | undefined): object {
  if (event === undefined) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(event.data).toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
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
