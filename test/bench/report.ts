/** The table for people and the JSON for programs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Bench, Figure, Goal } from './bench.ts';
import type { SyncLatency } from './disk.ts';
import { median, spread } from './statistics.ts';

export interface Measured {
  readonly bench: Bench;
  readonly sync: SyncLatency | null;
  readonly figures: readonly Figure[];
  readonly failure?: string;
}

export function printMeasured({ sync, figures }: Measured): void {
  if (sync !== null) console.log(`  one sync of this disk: p50 ${ms(sync.p50Ms)}, p99 ${ms(sync.p99Ms)}`);
  console.log(row(['', 'median', 'spread', 'p50', 'p99', 'CPU', 'ratio', 'spread', 'by CPU', 'goal']));
  for (const figure of figures) {
    const { what, unit, values, p50Ms, p99Ms, cpuUs, against } = figure;
    console.log(
      row([
        what,
        `${plain(median(values))} ${unit}`,
        percent(spread(values)),
        p50Ms === undefined ? '' : ms(p50Ms),
        p99Ms === undefined ? '' : ms(p99Ms),
        cpuUs === undefined ? '' : `${Math.round(cpuUs)} µs`,
        against === undefined ? '' : `${median(against.ratios).toFixed(2)} × ${against.what}`,
        against === undefined ? '' : percent(spread(against.ratios)),
        against?.cpuRatios === undefined ? '' : median(against.cpuRatios).toFixed(2),
        goalText(figure),
      ]),
    );
  }
}

/** Answers with the path of the file. */
export function keepResults(folder: string, how: object, all: readonly Measured[]): string {
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const path = join(folder, `${at.replaceAll(':', '-')}.json`);
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  const benches = all.map(({ bench: { name, title }, figures, ...rest }) => {
    return { name, title, ...rest, figures: figures.map((one) => ({ ...one, isMet: isMet(one) })) };
  });
  writeFileSync(path, `${JSON.stringify({ at, ...how, machine, benches }, null, 2)}\n`);
  return path;
}

/** Null where there is no goal. */
function isMet(figure: Figure): boolean | null {
  const { goal } = figure;
  if (goal === undefined) return null;
  const { atLeast = -Infinity, atMost = Infinity } = goal;
  const value = valueFor(goal, figure);
  return value >= atLeast && value <= atMost;
}

function valueFor({ of }: Goal, { values, p99Ms, against }: Figure): number {
  switch (of) {
    case 'median':
      return median(values);
    case 'ratio':
      return median(against?.ratios ?? []);
    case 'cpuRatio':
      return median(against?.cpuRatios ?? []);
    case 'p99Ms':
      return p99Ms ?? Number.NaN;
  }
}

function goalText(figure: Figure): string {
  const { goal } = figure;
  if (goal === undefined) return '';
  const { atLeast, atMost } = goal;
  const by = goal.of === 'cpuRatio' ? 'CPU ' : '';
  const bound = atLeast === undefined ? `≤ ${atMost}` : atLeast === atMost ? `= ${atLeast}` : `≥ ${atLeast}`;
  return `${by}${bound} ${isMet(figure) ? 'met' : 'MISSED'}`;
}

function row(cells: readonly string[]): string {
  const widths = [36, 15, 7, 9, 9, 7, 16, 7, 7, 16];
  return `  ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' ')}`;
}

function plain(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
