/** Reads a whole log once, page by page, to where it ends. */
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';

/** So many events are in memory at once. */
const PAGE_EVENTS = 500;

/**
 * The events after a position (null: all) in commit order, up to where the log ends when that is reached.
 * @throws {StoreUnavailable} also when the log is closed meanwhile
 * @throws the signal's reason
 */
export async function* readLog(
  store: EventStore,
  after: string | null,
  signal: AbortSignal,
): AsyncGenerator<RecordedEvent, void> {
  for await (const page of store.subscribe({ after, pageSize: PAGE_EVENTS, signal })) {
    yield* page.events;
    if (page.caughtUp) return;
  }
  signal.throwIfAborted();
  throw new StoreUnavailable('the log was closed while it was read');
}

/**
 * The first event of each log, the second of each, and so on; undefined where one of them has ended.
 * @throws as {@link readLog}
 */
export async function* readSideBySide(
  source: EventStore,
  target: EventStore,
  signal: AbortSignal,
): AsyncGenerator<readonly [source: RecordedEvent | undefined, target: RecordedEvent | undefined], void> {
  const originals = readLog(source, null, signal);
  const copies = readLog(target, null, signal);
  try {
    for (;;) {
      const original = (await originals.next()).value ?? undefined;
      const copy = (await copies.next()).value ?? undefined;
      if (original === undefined && copy === undefined) return;
      yield [original, copy];
    }
  } finally {
    await originals.return();
    await copies.return();
  }
}
