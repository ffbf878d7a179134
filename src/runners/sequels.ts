/**
 * What follows from an accepted command in a stream of its own, decided before anything is appended, so that a log that
 * can commits both at once. Where it cannot, or where that stream has begun already, nothing follows here: whoever asked
 * sends the second command after the first.
 */
import type { Decider } from '../../commands/decider.ts';
import type { Fact, PlacedEvent } from '../../events/event.ts';
import { type Append, type EventStore, NO_STREAM, type SequelsResult } from '../../events/event-store.ts';
import { appendSurely, surely } from './append-surely.ts';
import type { CommandCall } from './command-call.ts';
import { decideOne, type Enquiry, erased, type Plan } from './decide-batch.ts';
import { emptyFold } from './stream-fold.ts';

/** A command to a stream that begins with it. */
export interface Sequel extends Enquiry {
  readonly streamId: string;
}

/** What follows from these events. */
export type SequelOf = (events: readonly PlacedEvent[]) => Sequel;

export function sequel<State, Command, F extends Fact, Rejection>(
  decider: Decider<State, Command, F, Rejection>,
  streamId: string,
  command: Command,
  call: CommandCall,
): Sequel {
  return { decider: erased(decider), streamId, command, call };
}

export interface PlannedSequel extends Append {
  /** Which command of the batch it follows from. */
  readonly index: number;
}

/** @param batch that of the plan */
export function planSequels(
  { answers }: Plan,
  batch: readonly { readonly sequelOf: SequelOf | undefined }[],
): readonly PlannedSequel[] {
  const planned: PlannedSequel[] = [];
  for (const [index, answer] of answers.entries()) {
    const sequelOf = batch[index]?.sequelOf;
    if (sequelOf === undefined || answer.kind !== 'accepted' || answer.events.length === 0) continue;
    const append = beginning(sequelOf, answer.events);
    if (append !== null) planned.push({ index, ...append });
  }
  return planned;
}

/** Null where it is refused or cannot be decided, which is told to whoever then sends the command by itself. */
function beginning(sequelOf: SequelOf, events: readonly PlacedEvent[]): Append | null {
  try {
    const sequel = sequelOf(events);
    const { streamId, decider } = sequel;
    const { added } = decideOne(emptyFold(decider.initial), streamId, sequel);
    return added === undefined ? null : { streamId, expectedRevision: NO_STREAM, events: added.events };
  } catch {
    // A bug, which is to fail this command alone and none of those beside it.
    return null;
  }
}

/** @throws as {@link appendSurely} */
export async function appendWithSequels(
  store: EventStore,
  first: Append,
  sequels: readonly Append[],
): Promise<SequelsResult> {
  const together = store.appendWithSequels?.bind(store);
  if (together !== undefined && sequels.length > 0) return surely(() => together(first, sequels));
  const { streamId, expectedRevision, events } = first;
  return { first: await appendSurely(store, streamId, expectedRevision, events), sequels: [] };
}
