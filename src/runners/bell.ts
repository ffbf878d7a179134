/** Wakes one who waits; rung before, it is not waited for at all. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves when it rings, or after the time. */
  readonly rung: (timeoutMs: number) => Promise<void>;
}

export function bell(): Bell {
  let isRung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      isRung = true;
      wake?.();
    },
    async rung(timeoutMs) {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isRung = false;
      wake = null;
    },
  };
}
