/** A second process that spends against mandates of the same log, to race with this one. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface SpendingErrand {
  readonly mandateId: string;
  readonly count: number;
  readonly amountCents: number;
}

/** The process says `ready`, and after a message `go` how its spends ended. */
export function startSpender(logPath: string, errand: SpendingErrand): ChildProcess {
  const script = fileURLToPath(new URL('./spender.main.ts', import.meta.url));
  return fork(script, [logPath, JSON.stringify(errand)], { execArgv: ['--import', 'tsx'] });
}
