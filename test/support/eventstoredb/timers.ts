/** Timers that end with what they were started for. */
export interface Timers {
  readonly later: (ms: number, task: () => void) => void;
  /** Forgets all that is still to come. */
  readonly stop: () => void;
}

export function timers(): Timers {
  const running = new Set<NodeJS.Timeout>();
  return {
    later(ms, task) {
      const timer = setTimeout(() => {
        running.delete(timer);
        task();
      }, ms);
      running.add(timer);
    },
    stop() {
      for (const timer of running) clearTimeout(timer);
      running.clear();
    },
  };
}
