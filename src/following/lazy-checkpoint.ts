/**
 * A checkpoint that is kept now and then. What lies between the last one kept and where its follower is would be taken
 * in again after a crash, which changes nothing but costs something: so it is little, in events and in time.
 */
export interface LazyCheckpoint {
  /**
   * The follower has come so far, and acted upon so many events on the way.
   * @throws what keeping throws, where there is too much to leave it for later
   */
  readonly moved: (position: string, events: number) => Promise<void>;
  /** Keeps where the follower is. @throws what keeping throws */
  readonly keep: () => Promise<void>;
  /** Keeps nothing later on. */
  readonly close: () => void;
}

const MAX_UNKEPT_EVENTS = 1_000;
const MAX_UNKEPT_MS = 2_000;
/** Where nothing was acted upon there is nothing to repeat, but the events to look through. */
const MAX_IDLE_MS = 30_000;

/**
 * @param set resolves once the position is durable
 * @param onError told when keeping it has failed later on; it is tried again
 */
export function lazyCheckpoint(
  set: (position: string) => Promise<void>,
  onError: (error: unknown) => void,
): LazyCheckpoint {
  let reached: string | null = null;
  let kept: string | null = null;
  let unkeptEvents = 0;
  let keeping: Promise<void> = Promise.resolve();
  let due: { readonly atMs: number; readonly timer: NodeJS.Timeout } | null = null;
  let isClosed = false;

  const forgetDue = (): void => {
    clearTimeout(due?.timer);
    due = null;
  };
  const write = async (): Promise<void> => {
    if (reached === null || reached === kept) return;
    const position = reached;
    const events = unkeptEvents;
    await set(position);
    kept = position;
    unkeptEvents -= events;
  };
  /** One at a time, whatever became of the one before. */
  const keep = (): Promise<void> => {
    forgetDue();
    keeping = keeping.catch(() => {}).then(write);
    return keeping;
  };
  const keepWithin = (ms: number): void => {
    const atMs = performance.now() + ms;
    if (isClosed || (due !== null && due.atMs <= atMs)) return;
    forgetDue();
    const later = (): void => {
      keep().catch((error: unknown) => {
        onError(error);
        keepWithin(MAX_UNKEPT_MS);
      });
    };
    due = { atMs, timer: setTimeout(later, ms).unref() };
  };

  return {
    async moved(position, events) {
      reached = position;
      unkeptEvents += events;
      if (unkeptEvents >= MAX_UNKEPT_EVENTS) await keep();
      else if (reached !== kept) keepWithin(events > 0 ? MAX_UNKEPT_MS : MAX_IDLE_MS);
    },
    keep,
    close() {
      isClosed = true;
      forgetDue();
    },
  };
}
