/** Ways to fill and read an EventStore in tests. */
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import {
  type AppendResult,
  type EventPage,
  type EventStore,
  NO_STREAM,
  OutcomeUnknown,
  type ReadOptions,
  StoreUnavailable,
  type SubscribeOptions,
} from '../../events/event-store.ts';
import { newEvent, newEvents, newStream } from './new-event.ts';

export async function append(
  store: EventStore,
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[],
): Promise<AppendResult & { ok: true }> {
  const result = await store.append(stream, expectedRevision, events);
  if (!result.ok) throw new Error(`${stream} is at ${result.actualRevision}, not at ${expectedRevision}`);
  return result;
}

/** Appends `count` events one by one, each at the revision that the last conflict told; gives the ids. */
export async function appendInTurn(store: EventStore, stream: string, count: number): Promise<string[]> {
  const won: string[] = [];
  for (let expected = NO_STREAM; won.length < count;) {
    const event = newEvent();
    const result = await store.append(stream, expected, [event]);
    if (result.ok) won.push(event.id);
    expected = result.ok ? result.revision : result.actualRevision;
  }
  return won;
}

/** Appends to several new streams by turns, one event each time; gives the events in their order. */
export async function appendMixed(store: EventStore, streams: number, count: number): Promise<NewEvent[]> {
  const names = Array.from({ length: streams }, newStream);
  const events = newEvents(count);
  for (const [i, event] of events.entries()) {
    await append(store, names[i % streams] ?? '', Math.floor(i / streams) - 1, [event]);
  }
  return events;
}

export async function readAll(
  store: EventStore,
  stream: string,
  options?: ReadOptions,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of store.read(stream, options)) events.push(event);
  return events;
}

/** Takes pages until `isEnough` of all events so far and the last page; the test's own timeout is the deadline. */
export async function pagesUntil(
  store: EventStore,
  options: Omit<SubscribeOptions, 'signal'>,
  isEnough: (events: readonly RecordedEvent[], page: EventPage) => boolean,
): Promise<EventPage[]> {
  const abort = new AbortController();
  const pages: EventPage[] = [];
  try {
    for await (const page of store.subscribe({ ...options, signal: abort.signal })) {
      pages.push(page);
      if (isEnough(eventsOf(pages), page)) break;
    }
  } finally {
    abort.abort();
  }
  return pages;
}

export function isRising(positions: readonly string[]): boolean {
  return positions.every((position, i) => i === 0 || position > (positions[i - 1] ?? ''));
}

export function eventsOf(pages: readonly EventPage[]): RecordedEvent[] {
  return pages.flatMap(({ events }) => events);
}

export function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map(({ id }) => id);
}

/** One event after another, each asked for until there is an answer. */
export async function appendStubbornly(store: EventStore, stream: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let revision = NO_STREAM; ids.length < count; revision += 1) {
    const events = newEvents(1);
    for (let isWritten = false; !isWritten;) {
      try {
        await append(store, stream, revision, events);
        isWritten = true;
      } catch (error) {
        if (!(error instanceof OutcomeUnknown || error instanceof StoreUnavailable)) throw error;
      }
    }
    ids.push(...idsOf(events));
  }
  return ids;
}
