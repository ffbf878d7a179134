import { setTimeout as pause } from 'node:timers/promises';

/** Resolves after the time, or when the signal is aborted. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  // The only way in which a pause ends early is the signal.
  await pause(ms, undefined, { signal }).catch(() => {});
}
