/** Lets requests be served between the slices of long work. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;
/** The clock is asked only so often: to ask costs as much as a small thing that is done. */
const STRIDE = 8;

export interface TimeSlice {
  /** Whether the event loop has been held for a whole slice; where it has, `await` {@link yield} before going on. */
  readonly isOver: () => boolean;
  readonly yield: () => Promise<void>;
}

/** @param stride 1 where each thing that is done between may take a millisecond */
export function createTimeSlice(stride = STRIDE): TimeSlice {
  let since = performance.now();
  let asked = 0;
  return {
    isOver() {
      asked += 1;
      return asked % stride === 0 && performance.now() - since >= SLICE_MS;
    },
    async yield() {
      await nextTurn();
      since = performance.now();
    },
  };
}
