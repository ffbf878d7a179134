/**
 * Runs changes of the directory. The live executor appends to the log; the dry run decides each change upon what the ones
 * before it would have left, so that a file is checked whole before anything is appended.
 */
import { type Decider, fold } from '../../../../commands/decider.ts';
import { methodologyDecider, METHODOLOGY_ID } from '../../../../commands/methodology/methodology.ts';
import type { Fact, Occurred } from '../../../../events/event.ts';
import type { PublishedMethodology } from '../../../../events/methodology-document.ts';
import type { CommandCall } from '../../../commanding/command-call.ts';
import type { CommandRunner } from '../../../commanding/command-runner.ts';

export type Answer<Rejection> =
  | {
      readonly kind: 'done';
      /** The types of the events that it added; none when all was so already. */
      readonly events: readonly string[];
      readonly replayed: boolean;
      /** Where the log stands with it; null when it added nothing. */
      readonly position: string | null;
    }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'mismatch' };

export interface ChangeExecutor {
  readonly run: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
    command: Command,
  ) => Promise<Answer<Rejection>>;
  readonly load: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
  ) => Promise<State>;
}

type Runner = Pick<CommandRunner, 'run' | 'load'>;

/** Writes into the log, every command under the identity of this call. */
export function liveExecutor(commands: Runner, call: CommandCall): ChangeExecutor {
  return {
    async run(decider, id, command) {
      const outcome = await commands.run(decider, id, command, call);
      switch (outcome.kind) {
        case 'accepted':
        case 'replayed':
          return {
            kind: 'done',
            events: typesOf(outcome.events),
            replayed: outcome.kind === 'replayed',
            position: outcome.position,
          };
        case 'rejected':
        case 'mismatch':
          return outcome;
      }
    },
    async load(decider, id) {
      const { state } = await commands.load(decider, id, call.at);
      return state;
    },
  };
}

/** Decides upon the log as it is and keeps what would follow to itself. */
export function dryRunExecutor(commands: Runner, at: string): ChangeExecutor {
  const states = new Map<string, Promise<unknown>>();
  const load: ChangeExecutor['load'] = async (decider, id) => {
    const key = `${decider.family}-${id}`;
    const state = states.get(key) ?? commands.load(decider, id, at).then((loaded) => loaded.state);
    states.set(key, state);
    // Only the decider of this family has put a state there.
    return (await state) as typeof decider.initial;
  };
  return {
    load,
    async run(decider, id, command) {
      const state = await load(decider, id);
      const decision = decider.decide(command, state, at);
      if (!decision.ok) return { kind: 'rejected', rejection: decision.rejection };
      // A fact with its time is what a state evolves by.
      const occurred = decision.facts.map((fact) => ({ ...fact, at })) as unknown as Occurred<
        (typeof decision.facts)[number]
      >[];
      states.set(`${decider.family}-${id}`, Promise.resolve(fold({ ...decider, initial: state }, occurred)));
      return { kind: 'done', events: typesOf(decision.facts), replayed: false, position: null };
    },
  };
}

/** The methodology in force; null before the first is published. */
export async function currentMethodology(
  executor: Pick<ChangeExecutor, 'load'>,
): Promise<PublishedMethodology | null> {
  const { current } = await executor.load(methodologyDecider, METHODOLOGY_ID);
  return current;
}

function typesOf(facts: readonly Fact[]): readonly string[] {
  return facts.map(({ type }) => type);
}
