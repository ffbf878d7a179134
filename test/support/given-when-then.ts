/** Domain tests in one sentence: given these events, when this command, then these facts or this rejection. */
import { expect } from 'chai';
import { type Decider, fold } from '../../commands/decider.ts';
import type { Fact, Occurred } from '../../events/event.ts';

export interface Given<State, Command, F extends Fact, Rejection> {
  /** The state that the events lead to. */
  readonly state: State;
  readonly when: (command: Command, at: string) => When<F, Rejection>;
}

export interface When<F extends Fact, Rejection> {
  readonly thenFacts: (...facts: F[]) => void;
  readonly thenNothing: () => void;
  readonly thenRejected: (rejection: Rejection) => void;
}

/** `const given = scenarios(mandateDecider)`, then `given(...events).when(command, at).thenFacts(...)`. */
export function scenarios<State, Command, F extends Fact, Rejection>(
  decider: Decider<State, Command, F, Rejection>,
): (...history: Occurred<F>[]) => Given<State, Command, F, Rejection> {
  return (...history) => {
    const state = fold(decider, history);
    return {
      state,
      when(command, at) {
        const decision = decider.decide(command, state, at);
        const thenFacts = (...facts: F[]): void => {
          expect(decision).to.deep.equal({ ok: true, facts });
        };
        return {
          thenFacts,
          thenNothing: () => thenFacts(),
          thenRejected: (rejection) => expect(decision).to.deep.equal({ ok: false, rejection }),
        };
      },
    };
  };
}
