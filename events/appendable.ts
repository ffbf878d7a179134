import type { NewEvent } from './event.ts';
import { MAX_APPEND_EVENTS, NO_STREAM } from './event-store.ts';

/** What every adapter refuses as a bug of its caller, before it writes anything. @throws {RangeError} */
export function assertAppendable(expectedRevision: number, events: readonly NewEvent[]): void {
  if (events.length === 0 || events.length > MAX_APPEND_EVENTS) {
    throw new RangeError(`an append takes 1 to ${MAX_APPEND_EVENTS} events, not ${events.length}`);
  }
  if (!Number.isSafeInteger(expectedRevision) || expectedRevision < NO_STREAM) {
    throw new RangeError(`${expectedRevision} is not a revision`);
  }
}
