/** What operators decide about the log itself: that it goes on without what it has lost. */
import { accept, type Decider } from '../decider.ts';
import type { LogFact } from '../../events/log-events.ts';

/** There is one stream of these in a log. */
export const LOSSES = 'losses';

export interface AcceptLogLoss {
  readonly type: 'AcceptLogLoss';
  readonly loss: LogFact['data'];
}

/** How often it was accepted. */
export type AcceptedLosses = number;

export const logDecider: Decider<AcceptedLosses, AcceptLogLoss, LogFact, never> = {
  family: 'log',
  initial: 0,
  evolve: (losses) => losses + 1,
  decide: ({ loss }) => accept({ type: 'LogLossAccepted', data: loss }),
};
