/** Appends with certainty: where the log gave no answer, the identical append is repeated until it gives one. */
import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent } from '../../events/event.ts';
import {
  type Append,
  type AppendResult,
  type DependentsResult,
  type EventStore,
  OutcomeUnknown,
} from '../../events/event-store.ts';

const TRIES = 5;
const FIRST_PAUSE_MS = 20;
/** A log that stays silent takes seconds to say so: after so long no further try is begun, for somebody waits. */
const PATIENCE_MS = 3_000;

/**
 * @throws {StoreUnavailable} nothing was written
 * @throws {OutcomeUnknown} the log stayed silent, or failed after it had been silent: the events may be there
 */
export function appendWithRetry(
  store: EventStore,
  streamId: string,
  expectedRevision: number,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  return retryUntilKnown(() => store.append(streamId, expectedRevision, events));
}

/** With what follows from it, in one transaction where the log can do so. @throws as {@link appendWithRetry} */
export function appendAll(
  store: EventStore,
  first: Append,
  dependents: readonly Append[],
): Promise<DependentsResult> {
  const together = store.appendAll?.bind(store);
  if (together !== undefined && dependents.length > 0)
    return retryUntilKnown(() => together(first, dependents));
  const { streamId, expectedRevision, events } = first;
  return appendWithRetry(store, streamId, expectedRevision, events).then((appended) => ({
    first: appended,
    dependents: [],
  }));
}

/** The outcome of identical appends, made again while it is unknown. @throws as {@link appendWithRetry} */
export async function retryUntilKnown<Outcome>(append: () => Promise<Outcome>): Promise<Outcome> {
  const startMs = performance.now();
  let unknown: OutcomeUnknown | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await append();
    } catch (error) {
      if (error instanceof OutcomeUnknown) unknown = error;
      else if (unknown === undefined) throw error;
      if (attempt === TRIES || performance.now() - startMs >= PATIENCE_MS) throw unknown;
      await pause(fullJitter(attempt, FIRST_PAUSE_MS));
    }
  }
}

/** A random pause below an exponentially growing bound, so that those who lost a race do not meet again. */
export function fullJitter(attempt: number, firstPauseMs: number): number {
  return Math.random() * firstPauseMs * 2 ** (attempt - 1);
}
