import { randomUUID } from 'node:crypto';
import { orderedJson } from '../../events/canonical-json.ts';
import type { NewEvent } from '../../events/event.ts';
import { eventIdOf } from '../../events/hash-chain.ts';
import { idFrom } from '../../events/ids.ts';

const AT = '2026-11-27T12:00:00.000Z';

/** An event with a fresh id, for tests of stores, to which one event is like another. */
export function newEvent(overrides: Partial<NewEvent> = {}): NewEvent {
  return {
    id: idFrom('event', AT, randomUUID()),
    type: 'Happened',
    version: 1,
    at: AT,
    data: { amountCents: 100 },
    meta: { actor: 'scheduler', requestId: 'req-1', commandId: 'command-1' },
    ...overrides,
  };
}

export function newEvents(count: number, overrides: Partial<NewEvent> = {}): NewEvent[] {
  return Array.from({ length: count }, () => newEvent(overrides));
}

/** With the id that the program gives what stands in this place: a decider refuses another as damaged. */
export function withItsId(streamId: string, revision: number, event: Omit<NewEvent, 'id'>): NewEvent {
  const place = { streamId, revision, type: event.type, at: event.at };
  return { ...event, id: eventIdOf(place, orderedJson(event.data), orderedJson(event.meta)) };
}

/** A stream that no other test writes to, also on a server that is not emptied between runs. */
export function newStream(): string {
  return `stream-${randomUUID()}`;
}
