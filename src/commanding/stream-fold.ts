/** A stream as it stands: its state, and the commands it has answered within the last day. */
import type { Decider } from '../../commands/decider.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { Fact, Occurred, RecordedEvent } from '../../events/event.ts';
import { type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { eventHash, GENESIS } from '../../events/hash-chain.ts';
import {
  type DedupIndex,
  type CommandTrace,
  commandTrace,
  createDedupIndex,
  REMEMBERED_MS,
} from './dedup-index.ts';
import { assertBeginning, assertContinued, assertNamesCommand, assertUnchanged } from './unchanged.ts';

/**
 * So many of the last events are read for their command ids, however old they seem: a clock that was set forward twice
 * makes a command of this minute two days old, and the log alone cannot tell. A mandate is read back as far anyway, to
 * its last snapshot.
 */
export const REMEMBERED_EVENTS = 100;

// A decider's rejection type plays no part in folding, and its command type only in deciding.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyDecider<State, F extends Fact> = Decider<State, any, F, any>;

export interface StreamFold<State> {
  readonly state: State;
  readonly revision: number;
  /** The time of the last event; empty for a stream without events. */
  readonly at: string;
  /** The hash that the next event of a chained stream carries. */
  readonly headHash: string;
  /** Grows in place: copying a day's commands for each new one would cost too much. */
  readonly commands: DedupIndex;
}

export function emptyFold<State>(initial: State): StreamFold<State> {
  return {
    state: initial,
    revision: NO_STREAM,
    at: '',
    headHash: GENESIS,
    commands: createDedupIndex(0),
  };
}

/**
 * How far back a load has to read: to a snapshot in any case, through the last day and the last hundred events, and to a
 * revision if one is asked.
 */
export interface Reach {
  readonly now: string;
  readonly remembersFrom?: number;
  /** The last revision to take in; the stream's end when absent. */
  readonly upTo?: number;
  /** Whoever only wants to know the state needs no commands: those of a day may be a hundred thousand. */
  readonly isForState?: true;
}

/**
 * Reads a stream backwards as far as it must, and folds what it found.
 * @throws {StoreDamaged} events of a chained stream are not what was written, or any stream lacks its beginning
 */
export async function loadFold<State, F extends Fact>(
  store: EventStore,
  decider: AnyDecider<State, F>,
  streamId: string,
  reach: Reach,
): Promise<StreamFold<State>> {
  const { remembered, folded } = await readBack(store, decider, streamId, reach);
  const oldest = remembered[0] ?? folded[0];
  if (oldest === undefined) return emptyFold(decider.initial);
  const commands = createDedupIndex(oldest.revision);
  if (decider.remembersCommands !== false) remembered.forEach(commands.add);
  return advance(decider, { ...emptyFold(decider.initial), commands }, folded);
}

interface ReadBack {
  /** Before the last snapshot: of a day's events, which may be a great many, no more than the memory of commands takes. */
  readonly remembered: readonly CommandTrace[];
  /** From the last snapshot on. */
  readonly folded: readonly RecordedEvent[];
}

async function readBack<State, F extends Fact>(
  store: EventStore,
  decider: AnyDecider<State, F>,
  streamId: string,
  { now, remembersFrom = Infinity, upTo, isForState }: Reach,
): Promise<ReadBack> {
  const remembers = decider.remembersCommands !== false && isForState !== true;
  const sinceMs = remembers ? startOfMemoryMs(now) : Infinity;
  const least = remembers ? REMEMBERED_EVENTS : 0;
  const remembered: CommandTrace[] = [];
  const folded: RecordedEvent[] = [];
  let foundSnapshot = false;
  let seen = 0;
  let oldest: RecordedEvent | null = null;
  const options = upTo === undefined ? {} : { from: upTo };
  for await (const event of store.read(streamId, { direction: 'backwards', ...options })) {
    if (decider.chained === true) assertUnchanged(event, oldest);
    assertNamesCommand(event);
    oldest = event;
    if (foundSnapshot) remembered.push(commandTrace(event));
    else folded.push(event);
    foundSnapshot ||= decider.isSnapshot?.(event.type, event.data) ?? false;
    seen += 1;
    const isRemembered = seen < least || event.revision > remembersFrom || Date.parse(event.at) >= sinceMs;
    if (foundSnapshot && !isRemembered) break;
  }
  if (oldest !== null && !foundSnapshot) assertBeginning(oldest);
  return { remembered: remembered.reverse(), folded: folded.reverse() };
}

/**
 * The fold with what was appended to its stream since.
 * @throws {StoreDamaged} of a chained stream it is not what was written after what is known
 */
export async function readOn<State, F extends Fact>(
  store: EventStore,
  decider: AnyDecider<State, F>,
  streamId: string,
  fold: StreamFold<State>,
): Promise<StreamFold<State>> {
  const events: RecordedEvent[] = [];
  for await (const event of store.read(streamId, { from: fold.revision + 1 })) events.push(event);
  if (decider.chained === true) assertContinued(fold.headHash, events);
  events.forEach(assertNamesCommand);
  return advance(decider, fold, events);
}

function advance<State, F extends Fact>(
  decider: AnyDecider<State, F>,
  fold: StreamFold<State>,
  events: readonly RecordedEvent[],
): StreamFold<State> {
  let { state } = fold;
  for (const event of events) {
    state = decider.evolve(state, occurredIn<F>(event));
    if (decider.remembersCommands !== false) fold.commands.add(event);
  }
  const last = events.at(-1);
  if (last === undefined) return fold;
  const headHash = decider.chained === true ? eventHash(last) : GENESIS;
  return { ...fold, state, revision: last.revision, at: last.at, headHash };
}

/** Commands before this time (Unix milliseconds) need not be known, unless somebody says how far back. */
export function startOfMemoryMs(now: string): number {
  return Date.parse(now) - REMEMBERED_MS;
}

/** A stream family holds only the facts of its decider; the catalogue has parsed each by its type. */
export function occurredIn<F extends Fact>(event: RecordedEvent): Occurred<F> {
  return decodeEvent(event) as unknown as Occurred<F>;
}
