/** Median, spread and percentiles, and rounds of two things in turn. */

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** How far the values lie apart, as a share of their median. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle;
}

/** The value that the share `rank` of all lies at or below. */
export function percentile(values: readonly number[], rank: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = Math.min(sorted.length - 1, Math.max(0, Math.ceil(rank * sorted.length) - 1));
  return sorted[place] ?? Number.NaN;
}

interface Rated {
  readonly rate: number;
  readonly cpuUs: number;
}

export interface Beside<Ceiling extends Rated, Own extends Rated> {
  readonly ceilings: readonly Ceiling[];
  readonly own: readonly Own[];
  /** Of each round: its own rate by the mean of the ceiling's right before and right after it. */
  readonly ratios: readonly number[];
  /** The same of what one costs in CPU time, ceiling by own. */
  readonly cpuRatios: readonly number[];
}

/**
 * Measures a ceiling, the thing itself, the ceiling again, and so on: what else the machine does then weighs on both,
 * and the ratios hold still where the rates do not.
 */
export async function beside<Ceiling extends Rated, Own extends Rated>(
  rounds: number,
  ceiling: () => Promise<Ceiling>,
  own: () => Promise<Own>,
): Promise<Beside<Ceiling, Own>> {
  let before = await ceiling();
  const ceilings = [before];
  const all: Own[] = [];
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const measured = await own();
    const after = await ceiling();
    all.push(measured);
    ceilings.push(after);
    ratios.push((2 * measured.rate) / (before.rate + after.rate));
    cpuRatios.push((before.cpuUs + after.cpuUs) / (2 * measured.cpuUs));
    before = after;
  }
  return { ceilings, own: all, ratios, cpuRatios };
}

export function ratiosOf({ ratios, cpuRatios }: Beside<Rated, Rated>) {
  return { ratios, cpuRatios };
}
