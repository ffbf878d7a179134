/**
 * Records denials without anybody waiting for it. What cannot be kept up with is counted and left out: a flood of
 * refused spends must not slow down one that is allowed.
 */
import { denialDecider } from '../../commands/mandate/record-denial.ts';
import type { DenialFact } from '../../events/mandate-events.ts';
import type { CommandCall } from './command-call.ts';
import type { CommandRunner } from './command-runner.ts';

export interface DenialLog {
  readonly record: (mandateId: string, call: CommandCall, denial: DenialFact['data']) => void;
  /** How many denials were left out, and how many could not be written. */
  readonly left: () => { readonly dropped: number; readonly failed: number };
}

const MAX_UNDER_WAY = 1_000;

export function createDenialLog(commands: CommandRunner): DenialLog {
  let underWay = 0;
  let dropped = 0;
  let failed = 0;

  return {
    record(mandateId, call, denial) {
      if (underWay >= MAX_UNDER_WAY) {
        dropped += 1;
        return;
      }
      underWay += 1;
      commands
        .run(denialDecider, mandateId, { type: 'RecordDenial', denial }, call)
        .catch(() => (failed += 1))
        .finally(() => (underWay -= 1));
    },
    left: () => ({ dropped, failed }),
  };
}
