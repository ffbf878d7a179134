/** B12: rows into a data set of the Directory Data API, and the same rows again. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { startGauge } from './children.ts';
import type { ImportsMeasured, Took } from './imports.main.ts';
import { median } from './statistics.ts';

const MANY = 100_000;
const FEW = 2_000;
const CATEGORIES = ['Finance', 'Writing', 'Code', 'Law'];

export const imports: Bench = {
  name: 'B12',
  title: 'import of 100,000 rows, and the same file again',
  isDurable: true,
  async run(run) {
    const rows = run.isQuick ? FEW : MANY;
    const file = join(run.scratch, 'rows.jsonl');
    await writeFile(file, Array.from({ length: rows }, (_, n) => `${rowText(n)}\n`).join(''));
    const measured: ImportsMeasured[] = [];
    for (let round = 0; round < run.rounds; round += 1) {
      // A process for each, as the command is one: what an earlier round has left in memory is not of this one.
      const gauge = await startGauge<ImportsMeasured>('imports.main.ts', [file, run.scratch], {
        isFree: true,
      });
      measured.push(await gauge.ask({}));
      await gauge.stop();
    }
    const perSecond = (of: (one: ImportsMeasured) => Took) => ({
      unit: '/s',
      values: measured.map((one) => (rows / of(one).ms) * 1_000),
      cpuUs: median(measured.map((one) => (of(one).cpuMs * 1_000) / rows)),
    });
    return [
      {
        what: 'rows imported',
        ...perSecond(({ first }) => first),
        goal: { of: 'median', atLeast: 20_000 },
      },
      {
        what: 'rows of the same file again',
        ...perSecond(({ again }) => again),
        goal: { of: 'median', atLeast: 100_000 },
      },
      {
        what: 'peak resident memory of both',
        unit: 'MiB',
        values: measured.map(({ peakMib }) => peakMib),
        goal: { of: 'median', atMost: 256 },
      },
      { what: 'rows into the views after it', ...perSecond(({ views }) => views) },
    ];
  },
};

/** Some 250 bytes, as real rows have. */
export function rowText(n: number): string {
  return JSON.stringify({
    name: `Tool number ${n}`,
    url: `https://tool-${n}.example/`,
    category: CATEGORIES[n % CATEGORIES.length],
    description: `A tool that reads ledgers and explains what it found there, line by line, number ${n}.`,
    source: 'a list of tools',
    pricing: 'free',
  });
}
