/**
 * Decides a batch of commands upon a stream's state and appends what they lead to. If somebody else wrote first, all are
 * decided again upon what is there then.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore } from '../../events/event-store.ts';
import { appendAll, type DependentOf, type PlannedDependent, planDependents } from './append-all.ts';
import { fullJitter } from './append-with-retry.ts';
import { Contended } from './command-call.ts';
import { decideBatch, type PendingCommand, type Plan } from './decide-batch.ts';
import { findPrevious, mayHavePrevious, NO_PREVIOUS } from './find-previous.ts';
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
    const previous = mayHavePrevious(fold, calls)
      ? await findPrevious(store, streamId, fold, calls)
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
