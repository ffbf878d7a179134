/** Other processes that count requests of one account against a meter that they share. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Draw } from '../../src/ports/meter.ts';
import { endChild, endWithUs } from './child-processes.ts';

export interface MeteredErrand {
  readonly place:
    | { readonly kind: 'sqlite'; readonly path: string }
    | { readonly kind: 'redis'; readonly url: string; readonly prefix: string };
  readonly draw: Draw;
  readonly requests: number;
  readonly inFlight: number;
}

export interface Metered {
  readonly go: () => void;
  /** How many requests were told so far that they count. */
  readonly counted: () => number;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
  readonly ended: Promise<unknown>;
}

const CLOCK_AHEAD = fileURLToPath(new URL('./clock-ahead.cjs', import.meta.url));

/**
 * Resolves when it is ready to begin.
 * @param daysAhead of its clock
 */
export async function startMetered(errand: MeteredErrand, daysAhead = 0): Promise<Metered> {
  const script = fileURLToPath(new URL('./metered.main.ts', import.meta.url));
  const child: ChildProcess = fork(script, [JSON.stringify(errand)], {
    execArgv: ['--require', CLOCK_AHEAD, '--import', 'tsx'],
    env: { ...process.env, DAYS_AHEAD: String(daysAhead) },
  });
  endWithUs(child);
  let counted = 0;
  child.on('message', (message) => {
    if (message === 'counted') counted += 1;
  });
  const ended = once(child, 'close');
  await Promise.race([once(child, 'message'), ended]);
  return {
    go: () => void child.send('go'),
    counted: () => counted,
    async end(signal) {
      await endChild(child, signal);
      await ended;
    },
    ended,
  };
}
