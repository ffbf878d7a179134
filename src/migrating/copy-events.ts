/** Appends the events of one log to another, so that they stand there in the same order. */
import { type EventStore, OutcomeUnknown } from '../../events/event-store.ts';
import { retryUntilKnown } from '../commanding/append-with-retry.ts';
import { ahead } from './ahead.ts';
import { appendsOf, roundsOf, type Together, type WeighedAppend } from './group-appends.ts';
import { type Patience, waiting } from './patience.ts';
import { readLog } from './read-log.ts';

export interface CopyTarget {
  readonly events: EventStore;
  /** An engine that makes no such promise is only trusted with one append after the other. */
  readonly together?: Together;
}

const ONE_BY_ONE: Together = { appends: 1, bytes: 0 };

/** Somebody else writes to the target: the stream is not where only we could have left it. */
export interface Disturbance {
  readonly streamId: string;
  readonly expectedRevision: number;
  readonly actualRevision: number;
}

/**
 * Copies what the source holds after the position (null: all), up to where it ends when that is reached. Each append
 * has the ids and the revision of the original, so that one which was made already is not made again. While one round
 * of appends is under way the next is read.
 * @param onCopied is told how many events were appended
 */
export async function copyEvents(
  source: EventStore,
  target: CopyTarget,
  after: string | null,
  patience: Patience,
  onCopied: (events: number) => void,
): Promise<Disturbance | null> {
  const appends = appendsOf(readLog(source, after, patience));
  const append = target.together?.append ?? ((...asked) => target.events.append(...asked));
  for await (const round of ahead(roundsOf(appends, target.together ?? ONE_BY_ONE))) {
    patience.signal.throwIfAborted();
    const disturbance = await appendPatiently(append, round, patience);
    if (disturbance !== null) return disturbance;
    onCopied(round.reduce((sum, { events }) => sum + events.length, 0));
  }
  return null;
}

async function appendPatiently(
  append: EventStore['append'],
  round: readonly WeighedAppend[],
  patience: Patience,
): Promise<Disturbance | null> {
  const wait = waiting(patience);
  for (;;) {
    try {
      return await retryUntilKnown(() => appendRound(append, round));
    } catch (error) {
      await wait.after(error);
    }
  }
}

/** Also when one fails, the others are waited for: nothing is under way when it is tried again. */
async function appendRound(
  append: EventStore['append'],
  round: readonly WeighedAppend[],
): Promise<Disturbance | null> {
  const asked = round.map(async ({ streamId, expectedRevision, events }) => {
    const result = await append(streamId, expectedRevision, events);
    return result.ok ? null : { streamId, expectedRevision, actualRevision: result.actualRevision };
  });
  const outcomes = await Promise.allSettled(asked);
  // Of some nothing may be known where of others it is known that they failed: all of them are asked for again.
  for (const one of outcomes)
    if (one.status === 'rejected' && one.reason instanceof OutcomeUnknown) throw one.reason;
  const disturbances = await Promise.all(asked);
  return disturbances.find((one) => one !== null) ?? null;
}
