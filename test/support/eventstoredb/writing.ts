/**
 * What the server decides about an append, a deletion or a tombstone.
 * Source: CheckCommit in EventStore.Core/Services/Storage/ReaderIndex/IndexWriter.cs, and StorageWriterService.cs.
 */
import { type Ledger, type ProposedEvent, type StoredEvent, systemEvent } from './ledger.ts';
import { isSoftDeleted, metadataOf, TRUNCATED_FOR_EVER, visibleEvents } from './stream-metadata.ts';
import { metastreamOf, originalOf } from './stream-names.ts';

export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';

export type WriteOutcome =
  /** The place of the last event; without a position when its place is no longer to be read. */
  | { readonly kind: 'written'; readonly revision: bigint; readonly position: bigint | null }
  | { readonly kind: 'wrong-version'; readonly current: bigint }
  | { readonly kind: 'deleted' }
  /** The server gave up waiting for its own commit. */
  | { readonly kind: 'timed-out' }
  /** A repetition of what is not replicated yet: dropped, until the server gives up waiting. */
  | { readonly kind: 'not-ready' }
  /** The server stumbles, and answers nothing ever. */
  | { readonly kind: 'unanswered' };

/** Stores all of `events` or none. The identical append again is answered with the outcome of the first. */
export function append(
  ledger: Ledger,
  stream: string,
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
): WriteOutcome {
  const refused = check(ledger, stream, expected, events);
  if (refused !== null) return refused;
  const head = ledger.headOf(stream);
  const revived = [stream, originalOf(stream)].filter((name) => name !== null && isSoftDeleted(ledger, name));
  const last = ledger.store(stream, events).at(-1);
  const position = last?.position ?? ledger.storeNothing(stream);
  for (const name of revived) if (name !== null) revive(ledger, name, name === stream ? head : null);
  return { kind: 'written', revision: last?.revision ?? head, position };
}

/** Hides what the stream holds; its revisions go on counting when it is written to again. */
export function softDelete(ledger: Ledger, stream: string, expected: ExpectedRevision): WriteOutcome {
  const refused = checkRemoval(ledger, stream, expected);
  if (refused !== null) return refused;
  const head = ledger.headOf(stream);
  const isKnown = head >= 0n || ledger.headOf(metastreamOf(stream)) >= 0n;
  if (!isKnown) return { kind: 'wrong-version', current: -1n };
  const [hidden] = ledger.store(metastreamOf(stream), [
    systemEvent('$metadata', { $tb: TRUNCATED_FOR_EVER }),
  ]);
  return { kind: 'written', revision: head, position: hidden?.position ?? null };
}

/** Ends the stream for ever. */
export function tombstone(ledger: Ledger, stream: string, expected: ExpectedRevision): WriteOutcome {
  const refused = checkRemoval(ledger, stream, expected);
  if (refused !== null) return refused;
  const { revision, position } = ledger.tombstone(stream);
  return { kind: 'written', revision, position };
}

/** A deleted stream may be deleted as one that is not there; an append without events is refused that. */
function checkRemoval(ledger: Ledger, stream: string, expected: ExpectedRevision): WriteOutcome | null {
  if (expected === 'no_stream' && isSoftDeleted(ledger, stream) && !ledger.isTombstoned(stream)) return null;
  return check(ledger, stream, expected, []);
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

/** Below the head the ids in the places after `after` decide, for ever. */
function repeatedFromStream(
  ledger: Ledger,
  stream: string,
  after: bigint,
  events: readonly ProposedEvent[],
  head: bigint,
): WriteOutcome | null {
  const first = Number(after) + 1;
  const there = ledger.written(stream).slice(first, first + events.length);
  const last = there.at(-1);
  const isSame = last !== undefined && events.every(({ id }, i) => there[i]?.id === id);
  if (isSame) return repeated(ledger, last);
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
  const known = events.map(({ id }) => ledger.remembered(id)).filter((event) => event?.stream === stream);
  const last = known.at(-1);
  if (last === undefined || known[0]?.id !== events[0]?.id) return null;
  if (known.length === events.length && last.revision < (known[0]?.revision ?? 0n))
    return { kind: 'unanswered' };
  return known.length === events.length ? repeated(ledger, last) : { kind: 'wrong-version', current: head };
}

/** The server reads the event again to say where it stands, as any reader would. */
function repeated(ledger: Ledger, { stream, revision, position }: StoredEvent): WriteOutcome {
  if (ledger.replication.isHeld(position)) return { kind: 'not-ready' };
  const isVisible = visibleEvents(ledger, stream, new Date()).some((event) => event.revision === revision);
  return { kind: 'written', revision, position: isVisible ? position : null };
}

/** Shows again what comes after `head`; after the stream's own head when null. */
function revive(ledger: Ledger, stream: string, head: bigint | null): void {
  const first = (head ?? ledger.headOf(stream)) + 1n;
  const metadata = { ...metadataOf(ledger, stream), $tb: Number(first) };
  ledger.store(metastreamOf(stream), [systemEvent('$metadata', metadata)]);
}
