/**
 * Records denials without anybody waiting for it. What cannot be kept up with is counted and left out: a flood of
 * refused spends must not slow down one that is allowed.
 */
import { denialDecider } from '../../commands/mandate/record-denial.ts';
import type { DenialFact } from '../../events/mandate-events.ts';
import type { Log } from '../log.ts';
import type { CommandCall } from './command-call.ts';
import type { CommandRunner } from './command-runner.ts';

export interface DenialLog {
  readonly record: (mandateId: string, call: CommandCall, denial: DenialFact['data']) => void;
  /** How many denials were left out, and how many could not be written. */
  readonly left: () => { readonly dropped: number; readonly failed: number };
}

const MAX_UNDER_WAY = 1_000;

/** A flood is one line a minute. */
const TOLD_EVERY_MS = 60_000;

export function createDenialLog(commands: CommandRunner, log?: Pick<Log, 'warn'>): DenialLog {
  let underWay = 0;
  let dropped = 0;
  let failed = 0;
  let toldAtMs = -Infinity;

  /** Beside the count that is kept: whoever reads the log of the process is to know that the record has a gap. */
  const tell = (mandateId: string, reason: string): void => {
    const nowMs = performance.now();
    if (nowMs - toldAtMs < TOLD_EVERY_MS) return;
    toldAtMs = nowMs;
    log?.warn({ mandateId, reason, dropped, failed }, 'denials were not recorded');
  };

  return {
    record(mandateId, call, denial) {
      if (underWay >= MAX_UNDER_WAY) {
        dropped += 1;
        tell(mandateId, 'too many at once');
        return;
      }
      underWay += 1;
      commands
        .run(denialDecider, mandateId, { type: 'RecordDenial', denial }, call)
        .catch((error: unknown) => {
          failed += 1;
          tell(mandateId, error instanceof Error ? error.message : String(error));
        })
        .finally(() => (underWay -= 1));
    },
    left: () => ({ dropped, failed }),
  };
}
