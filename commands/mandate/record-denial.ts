/** Keeps what a mandate refused, in a stream beside it that no spend waits for. */
import { accept, type Decider } from '../decider.ts';
import type { DenialFact } from '../../events/mandate-events.ts';

export interface RecordDenial {
  readonly type: 'RecordDenial';
  readonly denial: DenialFact['data'];
}

/** Nothing is decided upon what was denied before, so there is no state and nothing to read back. */
export const denialDecider: Decider<null, RecordDenial, DenialFact, never> = {
  family: 'denials',
  initial: null,
  evolve: () => null,
  decide: ({ denial }) => accept({ type: 'SpendDenied', data: denial }),
  isSnapshot: () => true,
  remembersCommands: false,
};
