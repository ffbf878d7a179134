/**
 * What the server decides about an append, a deletion or a tombstone.
 * Source: EventStore.Core/Services/Storage/ReaderIndex/IndexWriter.cs (CheckCommit) and StorageWriterService.cs.
 */
import type { Ledger, ProposedEvent, StoredEvent } from './ledger.ts';
import { systemEvent } from './ledger.ts';
import { isSoftDeleted, metadataOf, metastreamOf, TRUNCATED_FOR_EVER } from './stream-metadata.ts';

export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';

export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: bigint; readonly position: bigint | null }
  | { readonly kind: 'wrong-version'; readonly current: bigint }
  | { readonly kind: 'deleted' };

/** Stores all of `events` or none. An identical append again is answered with the outcome of the first. */
export function append(
  ledger: Ledger,
  stream: string,
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
): WriteOutcome {
  const refused = check(ledger, stream, expected, events);
  if (refused !== null) return refused;
  const wasSoftDeleted = isSoftDeleted(ledger, stream);
  const head = ledger.headOf(stream);
  if (wasSoftDeleted) undelete(ledger, stream, head + 1n);
  const last = ledger.store(stream, events).at(-1);
  return last === undefined ? { kind: 'written', revision: head, position: null } : written(last);
}

/** Hides what the stream holds; its revisions go on counting when it is written to again. */
export function softDelete(ledger: Ledger, stream: string, expected: ExpectedRevision): WriteOutcome {
  const refused = check(ledger, stream, expected, []);
  if (refused !== null) return refused;
  const metadata = { ...metadataOf(ledger, stream), $tb: TRUNCATED_FOR_EVER };
  const [stored] = ledger.store(metastreamOf(stream), [systemEvent('$metadata', metadata)]);
  return { kind: 'written', revision: ledger.headOf(stream), position: stored?.position ?? null };
}

/** Ends the stream for ever. */
export function tombstone(ledger: Ledger, stream: string, expected: ExpectedRevision): WriteOutcome {
  return check(ledger, stream, expected, []) ?? written(ledger.tombstone(stream));
}

/** Null when it may be written, else the answer. */
function check(
  ledger: Ledger,
  stream: string,
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
): WriteOutcome | null {
  if (ledger.isTombstoned(stream)) return { kind: 'deleted' };
  const head = ledger.headOf(stream);
  if (expected === 'any') return repeatedFromMemory(ledger, stream, events, head);
  if (expected === 'stream_exists') {
    if (isSoftDeleted(ledger, stream)) return { kind: 'deleted' };
    const isKnown = head >= 0n || ledger.headOf(metastreamOf(stream)) >= 0n;
    return isKnown
      ? repeatedFromMemory(ledger, stream, events, head)
      : { kind: 'wrong-version', current: head };
  }
  const after = expected === 'no_stream' ? -1n : expected;
  if (after > head) return { kind: 'wrong-version', current: head };
  // At the head nothing is compared: an id that was written before is written again.
  return after === head ? null : repeatedFromStream(ledger, stream, after, events, head);
}

/** Below the head the ids at the places after `after` decide, for ever. */
function repeatedFromStream(
  ledger: Ledger,
  stream: string,
  after: bigint,
  events: readonly ProposedEvent[],
  head: bigint,
): WriteOutcome | null {
  const there = ledger.stream(stream).slice(Number(after) + 1, Number(after) + 1 + events.length);
  const isSame = events.length > 0 && events.every(({ id }, i) => there[i]?.id === id);
  const last = there.at(-1);
  if (isSame && last !== undefined) return written(last);
  const differsAtOnce = events[0]?.id !== there[0]?.id;
  const mayBegin = after === -1n && differsAtOnce && isSoftDeleted(ledger, stream);
  return mayBegin ? null : { kind: 'wrong-version', current: head };
}

/** Without an expected revision only the ids that the writer still remembers decide: no promise. */
function repeatedFromMemory(
  ledger: Ledger,
  stream: string,
  events: readonly ProposedEvent[],
  head: bigint,
): WriteOutcome | null {
  const known = events
    .map(({ id }) => ledger.remembered(id))
    .map((e) => (e?.stream === stream ? e : undefined));
  const last = known.at(-1);
  if (known[0] === undefined) return null;
  return last !== undefined && known.every((event) => event !== undefined)
    ? written(last)
    : { kind: 'wrong-version', current: head };
}

function undelete(ledger: Ledger, stream: string, truncateBefore: bigint): void {
  const metadata = { ...metadataOf(ledger, stream), $tb: Number(truncateBefore) };
  ledger.store(metastreamOf(stream), [systemEvent('$metadata', metadata)]);
}

/** The server answers with the place of the last of the events, the first time and at each repetition. */
function written({ revision, position }: StoredEvent): WriteOutcome {
  return { kind: 'written', revision, position };
}
