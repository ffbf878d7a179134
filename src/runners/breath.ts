/** Lets requests be served between the slices of long work. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;
/** The clock is asked only so often. */
const STRIDE = 8;

export interface Breath {
  /** Whether the event loop has been held for a whole slice. */
  readonly isDue: () => boolean;
  readonly take: () => Promise<void>;
}

export function breathing(): Breath {
  let since = performance.now();
  let asked = 0;
  return {
    isDue() {
      asked += 1;
      return asked % STRIDE === 0 && performance.now() - since >= SLICE_MS;
    },
    async take() {
      await nextTurn();
      since = performance.now();
    },
  };
}
