/** Reads a whole log once, page by page, to where it ends. */
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { ahead } from './ahead.ts';
import { type Patience, waiting } from './patience.ts';

/** Of each log so many are in memory, twice: a page, and the one that is read meanwhile. */
const PAGE_EVENTS = 500;

/** Never empty. */
export type Page = readonly RecordedEvent[];

/**
 * The events after a position (null: all) in commit order, up to where the log ends when that is reached.
 * @throws {StoreUnavailable} also when the log is closed meanwhile
 * @throws the signal's reason
 */
export async function* readLog(
  store: EventStore,
  after: string | null,
  patience: Patience,
): AsyncGenerator<Page, void> {
  const { signal } = patience;
  const wait = waiting(patience);
  for (let reached = after; ;) {
    try {
      for await (const page of store.subscribe({ after: reached, pageSize: PAGE_EVENTS, signal })) {
        wait.isOver();
        reached = page.position;
        if (page.events.length > 0) yield page.events;
        if (page.caughtUp) return;
      }
      signal.throwIfAborted();
      throw new StoreUnavailable('the log was closed while it was read');
    } catch (error) {
      await wait.after(error);
    }
  }
}

/** As many events of each, from the same place on; fewer of one, or none, only where it has ended. */
export interface Stretch {
  readonly originals: readonly RecordedEvent[];
  readonly copies: readonly RecordedEvent[];
}

/**
 * Both logs from their first events on.
 * @throws as {@link readLog}
 */
export async function* readSideBySide(
  source: EventStore,
  target: EventStore,
  patience: Patience,
): AsyncGenerator<Stretch, void> {
  const [ofSource, ofTarget] = [source, target].map((store) => ahead(readLog(store, null, patience)));
  if (ofSource === undefined || ofTarget === undefined) return;
  try {
    let originals: Page = [];
    let copies: Page = [];
    for (;;) {
      if (originals.length === 0) originals = (await ofSource.next()).value ?? [];
      if (copies.length === 0) copies = (await ofTarget.next()).value ?? [];
      const [fewer, more] = [originals.length, copies.length].toSorted((a, b) => a - b);
      if (more === 0) return;
      const count = fewer || more;
      yield { originals: originals.slice(0, count), copies: copies.slice(0, count) };
      originals = originals.slice(count);
      copies = copies.slice(count);
    }
  } finally {
    await ofSource.return();
    await ofTarget.return();
  }
}
