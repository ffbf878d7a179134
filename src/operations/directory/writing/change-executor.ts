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
import { idempotencyMismatch } from '../../idempotency.ts';
import type { Refused } from '../../refusals.ts';

export type ChangeResult =
  | {
      readonly ok: true;
      /** The types of the events that it added; none when all was so already. */
      readonly events: readonly string[];
      readonly replayed: boolean;
      /** Where the log stands with it; null when it added nothing. */
      readonly position: string | null;
    }
  | Refused;

export interface ChangeExecutor {
  /** @param refuse says the decider's no in words */
  readonly run: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
    command: Command,
    refuse: (rejection: Rejection) => Refused,
  ) => Promise<ChangeResult>;
  readonly load: <State, Command, F extends Fact, Rejection>(
    decider: Decider<State, Command, F, Rejection>,
    id: string,
  ) => Promise<State>;
}

type Runner = Pick<CommandRunner, 'run' | 'load'>;

/** Writes into the log, every command under the identity of this call. */
export function liveExecutor(commands: Runner, call: CommandCall): ChangeExecutor {
  return {
    async run(decider, id, command, refuse) {
      const outcome = await commands.run(decider, id, command, call);
      if (outcome.kind === 'mismatch') return idempotencyMismatch();
      if (outcome.kind === 'rejected') return refuse(outcome.rejection);
      const { kind, events, position } = outcome;
      return { ok: true, events: typesOf(events), replayed: kind === 'replayed', position };
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
    async run(decider, id, command, refuse) {
      const state = await load(decider, id);
      const decision = decider.decide(command, state, at);
      if (!decision.ok) return refuse(decision.rejection);
      // A fact with its time is what a state evolves by.
      const occurred = decision.facts.map((fact) => ({ ...fact, at })) as unknown as Occurred<
        (typeof decision.facts)[number]
      >[];
      states.set(`${decider.family}-${id}`, Promise.resolve(fold({ ...decider, initial: state }, occurred)));
      return { ok: true, events: typesOf(decision.facts), replayed: false, position: null };
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
