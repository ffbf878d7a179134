/**
 * Exports the tools of a market as CSV. Arguments: its folder, a file of rows to import where it is empty. Answers each
 * message with what it took to make the file and to read it to its end.
 */
import { readFileSync } from 'node:fs';
import { dataSets } from '../../projections/data-sets.ts';
import { openMarket } from '../../src/composition/app.ts';
import { createLog } from '../../src/logging/log.ts';
import { readView } from '../../src/operations/read-view.ts';
import { readConfig } from '../../src/settings/config.ts';
import { importToolsOf } from './import-tools.ts';

export interface ExportMeasured {
  readonly rows: number;
  readonly bytes: number;
  readonly makingMs: number;
  readonly cpuMs: number;
  readonly readingMs: number;
  /** While it was made and read, without what is mapped of files: the views are. */
  readonly peakMib: number;
}

const [dataDir = '', file = ''] = process.argv.slice(2);
const EVERY_MS = 20;

const market = await openMarket(readConfig({ DATA_DIR: dataDir }), createLog('silent'));
process.on('message', (message) => void answer(message).then((done) => process.send?.(done)));
process.send?.('ready');

async function answer(message: unknown): Promise<ExportMeasured | 'filled'> {
  if (message !== 'fill') return measure();
  await importToolsOf(market.services, file);
  await market.catchUp();
  return 'filled';
}

async function measure(): Promise<ExportMeasured> {
  const { views, exports } = market.services;
  await market.catchUp();
  const set = await readView(views, dataSets, 'tools');
  if (set === undefined) throw new Error('there are no tools');
  let peak = 0;
  const looking = setInterval(() => (peak = Math.max(peak, anonymousMib())), EVERY_MS);
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const { manifest, read } = await exports.current(set, 'csv');
  const { user, system } = process.cpuUsage(cpuBefore);
  const madeMs = performance.now();
  let bytes = 0;
  for await (const chunk of read(0, manifest.bytes - 1)) bytes += chunk.length;
  const readMs = performance.now();
  clearInterval(looking);
  // What is kept is not made a second time.
  await exports.close();
  return {
    rows: manifest.rows,
    bytes,
    makingMs: madeMs - startMs,
    cpuMs: (user + system) / 1_000,
    readingMs: readMs - madeMs,
    peakMib: peak,
  };
}

function anonymousMib(): number {
  const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) / 1_024;
}
