/** Decides a batch of commands to one stream, each upon the state that the ones before it leave. Pure. */
import { type Decider, reject } from '../../commands/decider.ts';
import type { Fact, Occurred, PlacedEvent } from '../../events/event.ts';
import { MAX_APPEND_BYTES, MAX_APPEND_EVENTS } from '../../events/event-store.ts';
import type { HandledCommand } from './dedup-index.ts';
import type { CommandCall } from './command-call.ts';
import { buildEvents } from './build-events.ts';
import type { AnyDecider, StreamFold } from './stream-fold.ts';

export interface PendingCommand {
  readonly decider: AnyDecider<unknown, Fact>;
  readonly command: unknown;
  readonly call: CommandCall;
}

/** A queue holds entries of every family, each with its own types: they are told apart again where an answer leaves. */
export function erased<State, Command, F extends Fact, Rejection>(
  decider: Decider<State, Command, F, Rejection>,
): PendingCommand['decider'] {
  return decider as unknown as PendingCommand['decider'];
}

/** Decides nothing: it only looks whether its command was handled before. */
export function lookupOnly<State, Command, F extends Fact, Rejection>(
  decider: Decider<State, Command, F, Rejection>,
): Decider<State, null, F, null> {
  return { ...decider, decide: () => reject(null), setsTime: () => false };
}

export type Answer =
  | {
      readonly kind: 'accepted';
      readonly state: unknown;
      readonly events: readonly PlacedEvent[];
      readonly revision: number;
    }
  | { readonly kind: 'handled'; readonly before: HandledCommand }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'rejected'; readonly rejection: unknown; readonly state: unknown }
  /** The decider threw: a bug, which fails its own command and no other. */
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Plan {
  /** What has to be appended, all together; empty when nothing was decided. */
  readonly events: readonly PlacedEvent[];
  /**
   * The answers, in the order of the batch; true once the events are appended. As many as one append has room for, and
   * one at least: what is left of the batch is to be decided upon what is there then.
   */
  readonly answers: readonly Answer[];
  /** The stream as it is then, but for the commands that it remembers. */
  readonly fold: StreamFold<unknown>;
}

/** @param previous the commands of the batch that the stream has answered before */
export function decideBatch(
  fold: StreamFold<unknown>,
  previous: ReadonlyMap<string, HandledCommand>,
  streamId: string,
  batch: readonly PendingCommand[],
): Plan {
  const events: PlacedEvent[] = [];
  const answers: Answer[] = [];
  const fresh = new Map<string, HandledCommand>();
  let reached = fold;
  let bytes = 0;
  for (const pending of batch) {
    const before = fresh.get(pending.call.commandId) ?? previous.get(pending.call.commandId);
    if (before !== undefined) {
      answers.push(handledBefore(pending.call, before));
      continue;
    }
    const { answer, added } = decideOne(reached, streamId, pending);
    if (added !== undefined) {
      const isRoom = events.length + added.events.length <= MAX_APPEND_EVENTS;
      if (events.length > 0 && !(isRoom && bytes + added.bytes <= MAX_APPEND_BYTES)) break;
      if (pending.decider.remembersCommands !== false) {
        const [firstRevision, lastRevision] = [reached.revision + 1, added.fold.revision];
        const { commandId, requestHash } = pending.call;
        fresh.set(commandId, { firstRevision, lastRevision, requestHash });
      }
      bytes += added.bytes;
      reached = added.fold;
      events.push(...added.events);
    }
    answers.push(answer);
  }
  return { events, answers, fold: reached };
}

function handledBefore(
  { requestHash, formerRequestHash = requestHash }: CommandCall,
  before: HandledCommand,
): Answer {
  const isSame = before.requestHash === requestHash || before.requestHash === formerRequestHash;
  return isSame ? { kind: 'handled', before } : { kind: 'mismatch' };
}

export interface Step {
  readonly answer: Answer;
  /** Absent where nothing is to be appended. */
  readonly added?: {
    readonly events: readonly PlacedEvent[];
    readonly bytes: number;
    readonly fold: StreamFold<unknown>;
  };
}

export function decideOne(
  fold: StreamFold<unknown>,
  streamId: string,
  { decider, command, call }: PendingCommand,
): Step {
  try {
    const at = call.at > fold.at || decider.setsTime?.(command) === true ? call.at : fold.at;
    const decision = decider.decide(command, fold.state, at);
    if (!decision.ok)
      return { answer: { kind: 'rejected', rejection: decision.rejection, state: fold.state } };
    if (decision.facts.length === 0) return { answer: acceptedAs(fold, []) };

    const headHash = decider.chained === true ? fold.headHash : null;
    const built = buildEvents(decision.facts, call, { streamId, revision: fold.revision, at, headHash });
    const state = built.events.reduce((before, event) => decider.evolve(before, occurred(event)), fold.state);
    const revision = fold.revision + built.events.length;
    const { events, bytes } = built;
    // Member by member: each spend makes one, and the rest of an object costs many times as much.
    const after = {
      state,
      revision,
      at,
      headHash: built.headHash ?? fold.headHash,
      commands: fold.commands,
    };
    return { answer: acceptedAs(after, events), added: { events, bytes, fold: after } };
  } catch (error) {
    return { answer: { kind: 'failed', error } };
  }
}

function acceptedAs({ state, revision }: StreamFold<unknown>, events: readonly PlacedEvent[]): Answer {
  return { kind: 'accepted', state, events, revision };
}

function occurred(event: PlacedEvent): Occurred<Fact> {
  return event;
}
