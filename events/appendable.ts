import type { NewEvent } from './event.ts';
import { MAX_APPEND_BYTES, MAX_APPEND_EVENTS, NO_STREAM } from './event-store.ts';

/** What an event weighs beside its data and meta: its id, type, version and time, generously. */
const ENVELOPE_BYTES = 256;

/** What every adapter refuses as a bug of its caller, before it writes anything. @throws {RangeError} */
export function assertAppendable(expectedRevision: number, events: readonly NewEvent[]): void {
  if (events.length === 0 || events.length > MAX_APPEND_EVENTS) {
    throw new RangeError(`an append takes 1 to ${MAX_APPEND_EVENTS} events, not ${events.length}`);
  }
  if (!Number.isSafeInteger(expectedRevision) || expectedRevision < NO_STREAM) {
    throw new RangeError(`${expectedRevision} is not a revision`);
  }
}

/** What an event adds to an append, in bytes, given its data and meta as JSON. */
export function weigh(dataJson: string, metaJson: string): number {
  return ENVELOPE_BYTES + Buffer.byteLength(dataJson) + Buffer.byteLength(metaJson);
}

/** @param bytes what the events of an append {@link weigh} together @throws {RangeError} */
export function assertNotTooLarge(bytes: number): void {
  if (bytes > MAX_APPEND_BYTES) {
    throw new RangeError(`an append takes at most ${MAX_APPEND_BYTES} bytes, not ${bytes}`);
  }
}
