/** A stream as it stands: its state, and the commands it has answered within the last day. */
import type { Decider } from '../../commands/decider.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { Fact, Occurred, PlacedEvent, RecordedEvent } from '../../events/event.ts';
import { type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { eventHash, GENESIS } from '../../events/hash-chain.ts';

/** A command id is remembered for a day, and an hour more for clocks that disagree. */
const REMEMBERED_MS = 25 * 60 * 60 * 1_000;

// A decider's rejection type plays no part in folding, and its command type only in deciding.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyDecider<State, F extends Fact> = Decider<State, any, F, any>;

export interface HandledCommand {
  readonly firstRevision: number;
  readonly lastRevision: number;
  readonly at: string;
  readonly requestHash: string | undefined;
}

export interface StreamFold<State> {
  readonly state: State;
  readonly revision: number;
  /** The time of the last event; empty for a stream without events. */
  readonly at: string;
  /** The hash that the next event of a chained stream carries. */
  readonly headHash: string;
  readonly handled: Map<string, HandledCommand>;
  /** Every command from this revision on is in `handled`. */
  readonly remembersFrom: number;
}

export function emptyFold<State>(initial: State): StreamFold<State> {
  return {
    state: initial,
    revision: NO_STREAM,
    at: '',
    headHash: GENESIS,
    handled: new Map(),
    remembersFrom: 0,
  };
}

/** How far back a load has to read: to a carry in any case, through the last day, and to a revision if one is asked. */
export interface Reach {
  readonly now: string;
  readonly remembersFrom?: number;
  /** The last revision to take in; the stream's end when absent. */
  readonly upTo?: number;
}

/** Reads a stream backwards as far as it must, and folds what it found. */
export async function loadFold<State, F extends Fact>(
  store: EventStore,
  decider: AnyDecider<State, F>,
  streamId: string,
  reach: Reach,
): Promise<StreamFold<State>> {
  const events = await readBack(store, decider, streamId, reach);
  const [oldest] = events;
  if (oldest === undefined) return emptyFold(decider.initial);
  const start = Math.max(
    0,
    events.findLastIndex((event) => decider.carries?.(event.type) ?? false),
  );
  const handled = new Map<string, HandledCommand>();
  for (const event of events.slice(0, start)) remember(decider, handled, event);
  const base = { ...emptyFold(decider.initial), handled, remembersFrom: oldest.revision };
  return advance(decider, base, events.slice(start));
}

async function readBack<State, F extends Fact>(
  store: EventStore,
  decider: AnyDecider<State, F>,
  streamId: string,
  { now, remembersFrom = Infinity, upTo }: Reach,
): Promise<readonly RecordedEvent[]> {
  const since = decider.remembersCommands === false ? undefined : startOfMemory(now);
  const events: RecordedEvent[] = [];
  let carried = false;
  const options = upTo === undefined ? {} : { from: upTo };
  for await (const event of store.read(streamId, { direction: 'backwards', ...options })) {
    events.push(event);
    carried ||= decider.carries?.(event.type) ?? false;
    if (carried && event.revision <= remembersFrom && (since === undefined || event.at < since)) break;
  }
  return events.reverse();
}

/** The fold with what was appended to its stream since. */
export async function readOn<State, F extends Fact>(
  store: EventStore,
  decider: AnyDecider<State, F>,
  streamId: string,
  fold: StreamFold<State>,
): Promise<StreamFold<State>> {
  const events: RecordedEvent[] = [];
  for await (const event of store.read(streamId, { from: fold.revision + 1 })) events.push(event);
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
    remember(decider, fold.handled, event);
  }
  const last = events.at(-1);
  if (last === undefined) return fold;
  const headHash = decider.chained === true ? eventHash(last) : GENESIS;
  return { ...fold, state, revision: last.revision, at: last.at, headHash };
}

/** Forgets commands that are too old to be asked for again, but for those from the revision `keepFrom` on. */
export function forgetOld<State>(fold: StreamFold<State>, now: string, keepFrom: number): StreamFold<State> {
  const since = startOfMemory(now);
  let { remembersFrom } = fold;
  for (const [commandId, { at, lastRevision }] of fold.handled) {
    if (at >= since || lastRevision >= keepFrom) break;
    fold.handled.delete(commandId);
    remembersFrom = lastRevision + 1;
  }
  return remembersFrom === fold.remembersFrom ? fold : { ...fold, remembersFrom };
}

/** Keeps the map in the order of time: an id that is used again after its day stands for the later command. */
export function remember(
  { remembersCommands = true }: Pick<Decider<never, never, never, never>, 'remembersCommands'>,
  handled: Map<string, HandledCommand>,
  event: PlacedEvent,
): void {
  if (!remembersCommands) return;
  const { at, revision } = event;
  const { commandId, requestHash } = event.meta;
  const before = handled.get(commandId);
  const isSameCommand = before?.at === at;
  if (!isSameCommand) handled.delete(commandId);
  const firstRevision = isSameCommand ? before.firstRevision : revision;
  handled.set(commandId, { firstRevision, lastRevision: revision, at, requestHash });
}

function startOfMemory(now: string): string {
  return new Date(Date.parse(now) - REMEMBERED_MS).toISOString();
}

/** A stream family holds only the facts of its decider; the catalogue has parsed each by its type. */
export function occurredIn<F extends Fact>(event: RecordedEvent): Occurred<F> {
  return decodeEvent(event) as unknown as Occurred<F>;
}
