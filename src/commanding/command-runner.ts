/**
 * Load, decide, append: the only way in which the program writes history. Commands to one stream are decided one after
 * another, each upon the state that the ones before leave, and appended together at the revision they were decided at.
 */
import { LRUCache } from 'lru-cache';
import type { Decider } from '../../commands/decider.ts';
import type { Fact, PlacedEvent } from '../../events/event.ts';
import { type EventStore, NO_STREAM, StoreDamaged } from '../../events/event-store.ts';
import { type Waited, waited, createStreamQueues } from './stream-queue.ts';
import type { CommandCall, CommandOutcome, PreviousOutcome } from './command-call.ts';
import {
  type Appended,
  type BatchEntry,
  decideAndAppend,
  type DependentAppend,
  type DependentOf,
} from './decide-and-append.ts';
import { type Answer, type PendingCommand, erased, type Plan, lookupOnly } from './decide-batch.ts';
import { readRange } from './read-range.ts';
import { type AnyDecider, loadFold, readOn, type StreamFold } from './stream-fold.ts';

/** A state holds no long text of an order or a record: so many stay well within a process's memory. */
const MAX_CACHED_STREAMS = 10_000;
/** How many commands all cached folds may remember together, each stream counting as one more: some 120 MB. */
const MAX_REMEMBERED = 4_000_000;

export interface CommandRunner {
  /**
   * @throws {Overloaded | Contended} nothing was done
   * @throws {StoreUnavailable} nothing was done
   * @throws {OutcomeUnknown} it may have been done: the same command id again tells
   */
  readonly run: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
    command: Command,
    call: CommandCall,
    /** Names what follows from an accepted command, to be committed with it where the log can do so. */
    dependentOf?: (events: readonly PlacedEvent<F>[]) => DependentAppend,
  ) => Promise<CommandOutcome<State, F, Rejection>>;
  /** The state of a stream as it is now, whoever wrote to it last. */
  readonly load: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
    at: string,
  ) => Promise<{ readonly state: State; readonly revision: number }>;
  /** The state of a stream as it was right after `revision`. */
  readonly loadAt: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
    revision: number,
    at: string,
  ) => Promise<State>;
  /** What this command led to before; null if the stream has not answered it within the last day. */
  readonly findPrevious: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
    call: CommandCall,
  ) => Promise<PreviousOutcome<F> | null>;
  /** The revision that the stream has as far as this process knows, or a later one; -1 if it knows of none. */
  readonly knownRevision: (streamId: string) => number;
  /** The same runner, for somebody who wants all answers by this moment (`performance.now()`). */
  readonly within: (untilMs: number) => CommandRunner;
  /** Streams with commands waiting or under way. */
  readonly depth: () => number;
  /** Resolves when every command has been answered. */
  readonly idle: () => Promise<void>;
}

export function streamIdOf(decider: { readonly family: string }, id: string): string {
  return `${decider.family}-${id}`;
}

interface Entry extends BatchEntry {
  readonly waited: Waited<Settled>;
}

type Settled =
  | Exclude<Answer, { kind: 'failed' | 'accepted' }>
  | (Extract<Answer, { kind: 'accepted' }> & Pick<Appended, 'position'> & { readonly hasDependent: boolean });
type Folds = LRUCache<string, StreamFold<unknown>>;
/** Of streams that began as dependents: where they stood then. Most have no other command for a long time. */
type Begun = LRUCache<string, number>;

export function createCommandRunner(store: EventStore, maxRemembered = MAX_REMEMBERED): CommandRunner {
  const folds: Folds = new LRUCache({
    max: MAX_CACHED_STREAMS,
    maxSize: maxRemembered,
    // However much one stream remembers, it stays: to load it anew for each batch would take seconds.
    sizeCalculation: ({ commands }) => Math.min(maxRemembered / 2, 1 + commands.size()),
  });
  const begun: Begun = new LRUCache({ max: MAX_CACHED_STREAMS });
  const queues = createStreamQueues<Entry>((streamId, batch) =>
    answerBatch(store, { folds, begun }, streamId, batch),
  );

  const enqueue = (
    streamId: string,
    pending: PendingCommand,
    dependentOf: DependentOf | undefined,
  ): Promise<Settled> => {
    const { decider, command, call } = pending;
    return new Promise((settle, fail) => {
      const asked = waited({ settle, fail }, call.untilMs);
      queues.add(streamId, { decider, command, call, dependentOf, waited: asked });
    });
  };

  function runnerOn(log: EventStore, untilMs?: number): CommandRunner {
    async function run<State, Command, F extends Fact, Rejection>(
      decider: Decider<State, Command, F, Rejection>,
      id: string,
      command: Command,
      call: CommandCall,
      dependentOf?: (events: readonly PlacedEvent<F>[]) => DependentAppend,
    ): Promise<CommandOutcome<State, F, Rejection>> {
      const streamId = streamIdOf(decider, id);
      const timed = untilMs === undefined ? call : { ...call, untilMs };
      const pending = { decider: erased(decider), command, call: timed };
      // Its events are the decider's, as below.
      const answer = await enqueue(streamId, pending, dependentOf as DependentOf | undefined);
      // Every entry of a stream belongs to its family's decider, and that is the one given here.
      if (answer.kind !== 'handled') return answer as CommandOutcome<State, F, Rejection>;
      const { firstRevision, lastRevision } = answer.before;
      const { events, position } = await readRange(log, streamId, firstRevision, lastRevision);
      return {
        kind: 'replayed',
        events: events as readonly PlacedEvent<F>[],
        revision: lastRevision,
        position,
      };
    }

    return {
      run,
      load: (decider, id, at) => look(log, folds, decider, streamIdOf(decider, id), at),
      async loadAt(decider, id, revision, at) {
        const reach = { now: at, upTo: revision, isForState: true } as const;
        const { state } = await loadFold(log, decider, streamIdOf(decider, id), reach);
        return state;
      },
      async findPrevious(decider, id, call) {
        const outcome = await run(lookupOnly(decider), id, null, call);
        return outcome.kind === 'replayed' || outcome.kind === 'mismatch' ? outcome : null;
      },
      within: (moment) => runnerOn(store.within?.(moment) ?? store, moment),
      knownRevision: (streamId) => folds.peek(streamId)?.revision ?? begun.peek(streamId) ?? NO_STREAM,
      depth: queues.depth,
      idle: queues.idle,
    };
  }
  return runnerOn(store);
}

/** Not through the queue: whoever only looks waits for no append, and does not fail with one. */
async function look<State, F extends Fact>(
  store: EventStore,
  folds: Folds,
  decider: AnyDecider<State, F>,
  streamId: string,
  now: string,
): Promise<StreamFold<State>> {
  // As in `run`: the state is that of the decider given.
  const cached = folds.get(streamId) as StreamFold<State> | undefined;
  const fold =
    cached === undefined
      ? await loadFold(store, decider, streamId, { now })
      : await readOn(store, decider, streamId, cached).catch((error: unknown) => {
          // Whichever of the two is wrong: the next look reads the log from the ground up.
          if (error instanceof StoreDamaged) folds.delete(streamId);
          throw error;
        });
  // A batch may have come further meanwhile.
  if (folds.peek(streamId) === cached) folds.set(streamId, fold);
  return fold;
}

async function answerBatch(
  store: EventStore,
  { folds, begun }: { readonly folds: Folds; readonly begun: Begun },
  streamId: string,
  batch: readonly [Entry, ...Entry[]],
): Promise<void> {
  const [first, ...rest] = batch.filter((entry) => !entry.waited.isGivenUp);
  if (first === undefined) return;
  let left: readonly [Entry, ...Entry[]] = [first, ...rest];
  for (const entry of left) entry.waited.isBegun = true;
  const log = inTimeFor(left, store);
  try {
    for (;;) {
      const { fold, plan, position, dependents } = await decideAndAppend(
        log,
        folds.get(streamId),
        streamId,
        left,
      );
      folds.set(streamId, fold);
      for (const { streamId: other, events } of dependents) begun.set(other, events.length - 1);
      settle(left, plan, position, new Set(dependents.map(({ index }) => index)));
      const [next, ...others] = left.slice(plan.answers.length);
      if (next === undefined) return;
      left = [next, ...others];
    }
  } catch (error) {
    folds.delete(streamId);
    for (const { waited: asked } of left) asked.fail(error);
  }
}

/** The log for as long as one of them waits for an answer. */
function inTimeFor(batch: readonly Entry[], store: EventStore): EventStore {
  if (store.within === undefined) return store;
  const untilMs = Math.max(...batch.map(({ call }) => call.untilMs ?? Infinity));
  return untilMs === Infinity ? store : store.within(untilMs);
}

function settle(
  batch: readonly Entry[],
  plan: Plan,
  position: string | null,
  withDependent: ReadonlySet<number>,
): void {
  for (const [index, answer] of plan.answers.entries()) {
    const entry = batch[index];
    if (entry === undefined) throw new Error('an answer without a command');
    if (answer.kind === 'failed') entry.waited.fail(answer.error);
    else entry.waited.settle(settled(answer, position, withDependent.has(index)));
  }
}

function settled(
  answer: Exclude<Answer, { kind: 'failed' }>,
  position: string | null,
  hasDependent: boolean,
): Settled {
  if (answer.kind !== 'accepted') return answer;
  // Member by member: each spend makes one, and the rest of an object costs many times as much.
  const { kind, state, events, revision } = answer;
  return { kind, state, events, revision, position: events.length > 0 ? position : null, hasDependent };
}
