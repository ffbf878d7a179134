/** Links: events whose data names another event, as `revision@stream`. Source: ResolveLinkTo in ReaderIndex. */
import type { Ledger, StoredEvent } from './ledger.ts';
import { visibleEvents } from './stream-metadata.ts';

const LINK_TYPE = '$>';

/** An event as a reader gets it. */
export interface Resolved {
  /** Null when there is none where the link leads. */
  readonly event: StoredEvent | null;
  /** Null unless a link was followed. */
  readonly link: StoredEvent | null;
}

/** Follows the link that the event is; what is no link, or a broken one, is given as it is. */
export function followLink(ledger: Ledger, event: StoredEvent): Resolved {
  if (event.type !== LINK_TYPE) return { event, link: null };
  const [, revision, stream] = /^(\d+)@(.+)$/s.exec(Buffer.from(event.data).toString('utf8')) ?? [];
  if (revision === undefined || stream === undefined) return { event, link: null };
  const target = ledger.isTombstoned(stream)
    ? undefined
    : visibleEvents(ledger, stream, new Date()).find((other) => other.revision === BigInt(revision));
  return { event: target ?? null, link: event };
}
