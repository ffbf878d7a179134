/** How a process of the replays' benches measures one reading of a whole history. */

export interface Replayed {
  /** Events in a second. */
  readonly rate: number;
  readonly cpuUs: number;
  readonly peakHeapMib: number;
}

const HEAP_EVERY_MS = 50;

/** @param replay resolves with how many events there were */
export async function measureReplay(replay: () => Promise<number>): Promise<Replayed> {
  let peakBytes = 0;
  const watch = setInterval(
    () => (peakBytes = Math.max(peakBytes, process.memoryUsage().heapUsed)),
    HEAP_EVERY_MS,
  );
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const events = await replay();
  const seconds = (performance.now() - startedMs) / 1_000;
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { rate: events / seconds, cpuUs: (user + system) / events, peakHeapMib: peakBytes / 1_048_576 };
}
