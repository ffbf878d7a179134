/** Compares a log with its followers again and again: a database behind an address may be exchanged while nobody reads on. */
import { StoreUnavailable } from '../../events/event-store.ts';

const VERIFY_EVERY_MS = 2_000;

/**
 * @param verify what cannot be looked at now is looked at the next time
 * @param onBug told of each other failure, once as long as it is the same
 */
export function verifyRegularly(
  verify: () => Promise<void>,
  onBug: (error: unknown) => void,
  everyMs: number = VERIFY_EVERY_MS,
): { close(): Promise<void> } {
  let told: string | null = null;
  let isClosed = false;
  const look = async (): Promise<void> => {
    try {
      await verify();
      told = null;
    } catch (error) {
      // A look that was under way finds the log closed, and nobody wants to know.
      if (isClosed || error instanceof StoreUnavailable || String(error) === told) return;
      told = String(error);
      onBug(error);
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
