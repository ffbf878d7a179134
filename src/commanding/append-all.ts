/**
 * What follows from an accepted command in a stream of its own, decided before anything is appended, so that a log that
 * is able to commits both in one transaction. Where it cannot, or where that stream has begun already, nothing follows here: whoever asked
 * sends the second command after the first.
 */
import type { Decider } from '../../commands/decider.ts';
import type { Fact, PlacedEvent } from '../../events/event.ts';
import { type Append, type EventStore, NO_STREAM, type DependentsResult } from '../../events/event-store.ts';
import { appendWithRetry, retryUntilKnown } from './append-with-retry.ts';
import type { CommandCall } from './command-call.ts';
import { decideOne, type PendingCommand, erased, type Plan } from './decide-batch.ts';
import { emptyFold } from './stream-fold.ts';

/** A command to a stream that begins with it. */
export interface DependentAppend extends PendingCommand {
  readonly streamId: string;
}

/** What follows from these events. */
export type DependentOf = (events: readonly PlacedEvent[]) => DependentAppend;

export function dependent<State, Command, F extends Fact, Rejection>(
  decider: Decider<State, Command, F, Rejection>,
  streamId: string,
  command: Command,
  call: CommandCall,
): DependentAppend {
  return { decider: erased(decider), streamId, command, call };
}

export interface PlannedDependent extends Append {
  /** Which command of the batch it follows from. */
  readonly index: number;
}

/** @param batch that of the plan */
export function planDependents(
  { answers }: Plan,
  batch: readonly { readonly dependentOf: DependentOf | undefined }[],
): readonly PlannedDependent[] {
  const planned: PlannedDependent[] = [];
  for (const [index, answer] of answers.entries()) {
    const dependentOf = batch[index]?.dependentOf;
    if (dependentOf === undefined || answer.kind !== 'accepted' || answer.events.length === 0) continue;
    const append = beginning(dependentOf, answer.events);
    if (append !== null) planned.push({ index, ...append });
  }
  return planned;
}

/** Null where it is refused or cannot be decided, which is told to whoever then sends the command by itself. */
function beginning(dependentOf: DependentOf, events: readonly PlacedEvent[]): Append | null {
  try {
    const dependent = dependentOf(events);
    const { streamId, decider } = dependent;
    const { added } = decideOne(emptyFold(decider.initial), streamId, dependent);
    return added === undefined ? null : { streamId, expectedRevision: NO_STREAM, events: added.events };
  } catch {
    // A bug, which is to fail this command alone and none of those beside it.
    return null;
  }
}

/** @throws as {@link appendWithRetry} */
export async function appendAll(
  store: EventStore,
  first: Append,
  dependents: readonly Append[],
): Promise<DependentsResult> {
  const together = store.appendAll?.bind(store);
  if (together !== undefined && dependents.length > 0)
    return retryUntilKnown(() => together(first, dependents));
  const { streamId, expectedRevision, events } = first;
  return { first: await appendWithRetry(store, streamId, expectedRevision, events), dependents: [] };
}
