/**
 * Time as this process had it: while the machine was busy with others none passes. So a bound on how long something waits
 * says what the program does, and not what else the machine has to do.
 */
const TICK_MS = 20;

/** How much of it the work took. */
export async function ownTimeOf(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  // Those that were missed are not made up for.
  const timer = setInterval(() => (ticks += 1), TICK_MS);
  try {
    await work();
    return ticks * TICK_MS;
  } finally {
    clearInterval(timer);
  }
}
