/** What a process of the engines' benches does: each task for so many seconds, as often as it is asked. */

/** Resolves with how much of it was done when `isOver` said so. */
export type Task = (isOver: () => boolean) => Promise<number>;

export interface WorkOrder<Name extends string> {
  readonly task: Name;
  readonly seconds: number;
}

export interface Work {
  /** Of what the task counts, each second. */
  readonly rate: number;
  /** CPU time of one. */
  readonly cpuUs: number;
}

/** Says that it is ready, and answers every {@link WorkOrder} with {@link Work}. */
export function takeOrders<Name extends string>(tasks: Readonly<Record<Name, Task>>): void {
  process.on('message', ({ task, seconds }: WorkOrder<Name>) => {
    void measure(tasks[task], seconds).then((done) => process.send?.(done));
  });
  process.send?.('ready');
}

async function measure(task: Task, seconds: number): Promise<Work> {
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const done = await task(() => performance.now() >= endMs);
  const took = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { rate: done / took, cpuUs: (user + system) / done };
}
