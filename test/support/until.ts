import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 5;

/** Waits for a condition of the outside world; it fails with its name rather than hang. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
