/** A second process on the same log, to race, to be overheard and to be killed. Its answers come as messages. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Errand =
  /** Appends single events to one stream without end; tells each id once it is acknowledged. */
  | { readonly kind: 'appendForEver'; readonly stream: string }
  /** Appends this many events to one stream, whoever else writes there; tells their ids at the end. */
  | { readonly kind: 'race'; readonly stream: string; readonly count: number }
  /** Appends one event for each message that it is sent; tells its id. */
  | { readonly kind: 'appendWhenTold'; readonly stream: string }
  /** Appends one event and follows the log, and then has nothing more to do; closes the log only if told. */
  | { readonly kind: 'appendAndEnd'; readonly stream: string; readonly close: boolean };

export function startOtherProcess(logPath: string, errand: Errand): ChildProcess {
  const script = fileURLToPath(new URL('./other-process.main.ts', import.meta.url));
  return fork(script, [logPath, JSON.stringify(errand)], { execArgv: ['--import', 'tsx'] });
}

/** The next message of the other process, which must not end before. */
export async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the other process ended with ${String(code)}`);
  });
  const [answer] = await Promise.race([once(child, 'message'), ended]);
  return answer;
}
