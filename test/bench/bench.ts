/** What a bench is, and what it tells: figures, each beside what it is measured against. */

export interface BenchRun {
  /** A smoke run: short rounds, little data. Its figures mean nothing. */
  readonly isQuick: boolean;
  readonly rounds: number;
  /** How long one round of load takes. */
  readonly seconds: number;
  /** The root of the program under test, built: `dist/` lies in it. */
  readonly root: string;
  /** A folder for this run alone. */
  readonly scratch: string;
  /** A folder for what takes long to make and is kept for the next run. */
  readonly kept: string;
  readonly say: (line: string) => void;
}

export interface Bench {
  /** As bench.md of issue 2 and docs/benchmarks.md number it. */
  readonly name: string;
  readonly title: string;
  /** Whether the disk's syncs bear on it; their latency is then told beside it. */
  readonly isDurable: boolean;
  readonly run: (run: BenchRun) => Promise<readonly Figure[]>;
}

/** One line of the table. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  /** One value for each round. */
  readonly values: readonly number[];
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** CPU time of one. */
  readonly cpuUs?: number;
  readonly against?: Against;
  readonly goal?: Goal;
}

/** What it is measured against, with one ratio for each round. */
export interface Against {
  readonly what: string;
  readonly ratios: readonly number[];
  readonly cpuRatios?: readonly number[];
}

export interface Goal {
  /** `cpuRatio` where both share a machine with the server that they work on, whose speed would be measured else. */
  readonly of: 'median' | 'ratio' | 'cpuRatio' | 'p99Ms';
  readonly atLeast?: number;
  readonly atMost?: number;
}
