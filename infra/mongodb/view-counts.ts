/** How many documents of a generation meet conditions: counted by the engine, and remembered until some are written. */
const MAX_REMEMBERED = 1_000;

export interface ViewCounts {
  /**
   * @param changedAt the step that wrote documents last
   * @param id the same for the same conditions
   */
  readonly remembered: (changedAt: number, id: string, count: () => Promise<number>) => Promise<number>;
}

export function viewCounts(): ViewCounts {
  const counts = new Map<string, Promise<number>>();
  let countedAt = 0;
  return {
    remembered(changedAt, id, count) {
      if (changedAt !== countedAt || counts.size >= MAX_REMEMBERED) counts.clear();
      countedAt = changedAt;
      const known = counts.get(id);
      if (known !== undefined) return known;
      const counting = count();
      counts.set(id, counting);
      const forget = (): void => {
        if (counts.get(id) === counting) counts.delete(id);
      };
      counting.catch(forget);
      return counting;
    },
  };
}
