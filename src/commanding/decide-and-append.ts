/**
 * Decides a batch of commands upon a stream's state and appends what they lead to. If somebody else wrote first, all are
 * decided again upon what is there then.
 *
 * What follows from an accepted command in a stream of its own is decided before anything is appended, so that a log
 * that is able to commits both in one transaction. Where it cannot, or where that stream has begun already, nothing
 * follows here: whoever asked sends the second command after the first.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Decider } from '../../commands/decider.ts';
import type { Fact, PlacedEvent } from '../../events/event.ts';
import { type Append, type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { appendAll, fullJitter } from './append-with-retry.ts';
import { Contended, type CommandCall } from './command-call.ts';
import { decideBatch, type PendingCommand, type Plan, decideOne, erased } from './decide-batch.ts';
import { findPrevious, mayHavePrevious, NO_PREVIOUS } from './dedup-index.ts';
import {
  emptyFold,
  loadFold,
  readOn,
  REMEMBERED_EVENTS,
  startOfMemoryMs,
  type StreamFold,
} from './stream-fold.ts';

const TRIES = 16;
const FIRST_PAUSE_MS = 1;
const MAX_PAUSE_MS = 100;

/** A command of a batch, with what follows from it if it is accepted. */
export interface BatchEntry extends PendingCommand {
  readonly dependentOf: DependentOf | undefined;
}

export interface Appended {
  readonly plan: Plan;
  readonly fold: StreamFold<unknown>;
  readonly position: string | null;
  readonly dependents: readonly PlannedDependent[];
}

/**
 * @param cached the stream as this process knows it: what others wrote since is found by the append, or looked for
 * @throws {Contended} others kept writing: nothing was done
 * @throws {StoreUnavailable | OutcomeUnknown} as the log throws them
 */
export async function decideAndAppend(
  store: EventStore,
  cached: StreamFold<unknown> | undefined,
  streamId: string,
  batch: readonly [BatchEntry, ...BatchEntry[]],
): Promise<Appended> {
  const [{ decider, call }] = batch;
  const remembersFrom = Math.min(...batch.map((entry) => entry.call.remembersFrom ?? Infinity));
  const keepFrom = Math.min(remembersFrom, (cached?.revision ?? 0) - REMEMBERED_EVENTS);
  cached?.commands.forget(startOfMemoryMs(call.at), keepFrom);
  const usable = cached !== undefined && cached.commands.from() <= remembersFrom;
  const assumed = usable ? cached : call.beginsStream ? emptyFold(decider.initial) : undefined;
  let fold = assumed ?? (await loadFold(store, decider, streamId, { now: call.at, remembersFrom }));
  // What is assumed may be behind what others wrote. An append proves it or conflicts; where nothing is appended, look.
  let looked = assumed === undefined;
  const calls = batch.map((entry) => entry.call);
  for (let attempt = 1; attempt <= TRIES;) {
    const previous = mayHavePrevious(fold.commands, calls)
      ? await findPrevious(store, streamId, fold.commands, calls)
      : NO_PREVIOUS;
    const plan = decideBatch(fold, previous, streamId, batch);
    if (plan.events.length === 0 && looked) return { plan, fold, position: null, dependents: [] };
    if (plan.events.length > 0) {
      const first = { streamId, expectedRevision: fold.revision, events: plan.events };
      const planned = store.appendAll === undefined ? [] : planDependents(plan, batch);
      const { first: appended, dependents } = await appendAll(store, first, planned);
      if (appended.ok) {
        if (decider.remembersCommands !== false) plan.events.forEach(fold.commands.add);
        const { position } = appended;
        return { plan, fold: plan.fold, position, dependents: planned.filter((_, i) => dependents[i]) };
      }
      await pause(Math.min(MAX_PAUSE_MS, fullJitter(attempt, FIRST_PAUSE_MS)));
      attempt += 1;
    }
    fold = await readOn(store, decider, streamId, fold);
    looked = true;
  }
  throw new Contended(`others kept writing to ${streamId}`);
}

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

interface PlannedDependent extends Append {
  /** Which command of the batch it follows from. */
  readonly index: number;
}

/** @param batch that of the plan */
function planDependents({ answers }: Plan, batch: readonly BatchEntry[]): readonly PlannedDependent[] {
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
