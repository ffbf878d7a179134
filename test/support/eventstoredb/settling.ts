/** When a client is told of what was decided about its write: when a majority has it, or when the server gives up. */
import type { CallContext } from './call-context.ts';
import type { WriteOutcome } from './writing.ts';

export type ToldOutcome = Exclude<WriteOutcome, { kind: 'not-ready' | 'unanswered' }>;

export function whenSettled(
  { ledger, later, commitTimeoutMs }: CallContext,
  outcome: WriteOutcome,
  tell: (outcome: ToldOutcome) => void,
): void {
  switch (outcome.kind) {
    case 'unanswered':
      return;
    case 'not-ready':
      return later(commitTimeoutMs, () => tell({ kind: 'timed-out' }));
    case 'written': {
      if (outcome.position === null || !ledger.replication.isHeld(outcome.position)) return tell(outcome);
      let isTold = false;
      const tellOnce = (told: ToldOutcome): void => {
        if (!isTold) tell(told);
        isTold = true;
      };
      ledger.replication.whenDone(() => tellOnce(outcome));
      return later(commitTimeoutMs, () => tellOnce({ kind: 'timed-out' }));
    }
    default:
      return tell(outcome);
  }
}
