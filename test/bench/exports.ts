/** B13: a data set of the Directory Data API as CSV, of two sizes: how fast, and in how much memory. */
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchRun } from './bench.ts';
import { startGauge } from './children.ts';
import type { ExportMeasured } from './exports.main.ts';
import { rowText } from './imports.ts';
import { median } from './statistics.ts';

const SIZES = { few: 10_000, usual: 100_000, many: 1_000_000 };
const QUICK_SIZES = { few: 500, usual: 1_000, many: 2_000 };
const CHUNK_ROWS = 10_000;

export const exports: Bench = {
  name: 'B13',
  title: 'CSV export of 100,000 rows; memory with 10,000 and with 1,000,000',
  isDurable: false,
  async run(run) {
    const sizes = run.isQuick ? QUICK_SIZES : SIZES;
    const few = await measure(run, sizes.few);
    const usual = await measure(run, sizes.usual);
    const many = await measure(run, sizes.many);
    const speed = (of: readonly ExportMeasured[]) => ({
      unit: '/s',
      values: of.map(({ rows, makingMs }) => (rows / makingMs) * 1_000),
      cpuUs: median(of.map(({ rows, cpuMs }) => (cpuMs * 1_000) / rows)),
    });
    const memory = (of: readonly ExportMeasured[]) => ({
      unit: 'MiB',
      values: of.map(({ peakMib }) => peakMib),
    });
    return [
      {
        what: `rows of ${sizes.usual} made into a file`,
        ...speed(usual),
        goal: { of: 'median', atLeast: 100_000 },
      },
      { what: `rows of ${sizes.many}`, ...speed(many) },
      {
        what: 'bytes of the kept file read again',
        unit: 'MiB/s',
        values: usual.map(({ bytes, readingMs }) => bytes / 1_024 ** 2 / (readingMs / 1_000)),
      },
      { what: `peak memory not backed by a file, with ${sizes.few}`, ...memory(few) },
      { what: `the same with ${sizes.usual}`, ...memory(usual) },
      { what: `the same with ${sizes.many}`, ...memory(many) },
    ];
  },
};

async function measure(run: BenchRun, rows: number): Promise<readonly ExportMeasured[]> {
  const dataDir = await filled(run, rows);
  const measured: ExportMeasured[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    // A process for each: what an earlier round has left in memory is not of this one.
    const gauge = await startGauge<ExportMeasured>('exports.main.ts', [dataDir], { isFree: true });
    measured.push(await gauge.ask('measure'));
    await gauge.stop();
  }
  return measured;
}

/** A market with so many tools, kept for the next run. */
async function filled(run: BenchRun, rows: number): Promise<string> {
  const dataDir = join(run.kept, `exports-${rows}`);
  if (existsSync(dataDir)) return dataDir;
  run.say(`${rows} rows are imported, which takes a while the first time`);
  const file = join(run.scratch, `rows-${rows}.jsonl`);
  for (let from = 0; from < rows; from += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, rows - from);
    const text = Array.from({ length: count }, (_, n) => `${rowText(from + n)}\n`).join('');
    await writeFile(file, text, { flag: 'a' });
  }
  const draft = `${dataDir}.draft`;
  await rm(draft, { recursive: true, force: true });
  const gauge = await startGauge<unknown>('exports.main.ts', [draft, file], { isFree: true });
  await gauge.ask('fill');
  await gauge.stop();
  await rename(draft, dataDir);
  await rm(file);
  return dataDir;
}
