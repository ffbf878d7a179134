/**
 * A decider is the pure heart of a stream: what its events make of its state, and what a command may add to them.
 * Ids and prices come in with the command and the time with the call, so that a decision can be read, tested and
 * repeated.
 */
import type { Fact, Occurred } from '../events/event.ts';

export type Decision<F extends Fact, Rejection> =
  | { readonly ok: true; readonly facts: readonly F[] }
  | { readonly ok: false; readonly rejection: Rejection };

export interface Decider<State, Command, F extends Fact, Rejection> {
  /** The stream family: streams are named `<family>-<id>`. */
  readonly family: string;
  readonly initial: State;
  readonly evolve: (state: State, event: Occurred<F>) => State;
  /** `at` is the time of the decision; within one stream it never runs backwards (the command runner sees to that). */
  readonly decide: (command: Command, state: State, at: string) => Decision<F, Rejection>;
  /** Whether an event is a snapshot, which holds the whole state, so that nothing before it has to be read (closing the books). */
  readonly isSnapshot?: (type: F['type'], data: object) => boolean;
  /** False where commands are never repeated, so that a load need not read back through the last day's (default true). */
  readonly remembersCommands?: boolean;
  /** Whether the command sets the time of the stream to that of its call, be it earlier than that of the last event. */
  readonly setsTime?: (command: Command) => boolean;
  /** Whether the stream is a hash chain (events/hash-chain.ts). */
  readonly chained?: boolean;
}

export function accept<F extends Fact>(...facts: F[]): { ok: true; facts: readonly F[] } {
  return { ok: true, facts };
}

export function reject<Rejection>(rejection: Rejection): { ok: false; rejection: Rejection } {
  return { ok: false, rejection };
}

/** The commands of a table that has a decision for each, by its type: what stands under another type is none. */
export type CommandOf<Table> = {
  [Type in keyof Table]: Table[Type] extends (
    command: infer Command extends { readonly type: Type },
    ...rest: never[]
  ) => unknown
    ? Command
    : never;
}[keyof Table];

/** What the decision of the command's type says. */
export function decideBy<
  Table extends Record<keyof Table, (command: never, state: State, at: string) => Decision<F, Rejection>>,
  State,
  F extends Fact,
  Rejection,
>(
  table: Table,
  command: CommandOf<Table> & { readonly type: keyof Table },
  state: State,
  at: string,
): Decision<F, Rejection> {
  // It takes the commands of this type.
  return table[command.type](command as never, state, at);
}

/** After this many events since the last snapshot of a stream one is due: a load reads at most about so many. */
export const SNAPSHOT_EVERY_EVENTS = 100;

/** The decision with facts before its own, such as a snapshot that is due; one that adds nothing stays so. */
export function preceded<F extends Fact, Rejection>(
  decision: Decision<F, Rejection>,
  facts: () => readonly F[],
): Decision<F, Rejection> {
  return decision.ok && decision.facts.length > 0 ? accept(...facts(), ...decision.facts) : decision;
}

/** Reached only if a union grew and a switch over it did not: a bug, and the compiler says where. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`);
}

/** What each event makes of a state, by its type. */
export type Evolutions<State, F extends Fact> = {
  readonly [Type in F['type']]: (state: State, event: Occurred<Extract<F, { type: Type }>>) => State;
};

export function evolveBy<State, F extends Fact>(
  table: Evolutions<State, F>,
  state: State,
  event: Occurred<F>,
): State {
  const type: F['type'] = event.type;
  // It takes the events of this type.
  return table[type](state, event as never);
}

/** The state that a history leads to. */
export function fold<State, Command, F extends Fact, Rejection>(
  decider: Pick<Decider<State, Command, F, Rejection>, 'initial' | 'evolve'>,
  history: Iterable<Occurred<F>>,
): State {
  let state = decider.initial;
  for (const event of history) state = decider.evolve(state, event);
  return state;
}
