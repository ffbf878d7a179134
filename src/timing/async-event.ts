/** Wakes one who waits. Set before anybody waits, it is not waited for at all. */
export interface AsyncEvent {
  readonly set: () => void;
  /** Resolves when it is set, or after the time; then it is unset again. */
  readonly wait: (timeoutMs: number) => Promise<void>;
}

export function createAsyncEvent(): AsyncEvent {
  let isSet = false;
  let wake: (() => void) | null = null;
  return {
    set() {
      isSet = true;
      wake?.();
    },
    async wait(timeoutMs) {
      if (!isSet) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isSet = false;
      wake = null;
    },
  };
}
