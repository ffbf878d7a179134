/**
 * `npm run bench`: every bench, or those named (`npm run bench -- B4 B5`); `--quick` for a smoke run. The table goes to
 * the terminal, and all that was measured to test/bench/results/ as JSON.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { agentRead } from './agent-read.ts';
import type { Bench, BenchRun } from './bench.ts';
import { commandRunner } from './command-runner.ts';
import { moveToLoadCore, unpinned } from './cores.ts';
import { agentList, growth, search } from './directory-lists.ts';
import { syncLatency } from './disk.ts';
import { engineEventStoreDb } from './engine-eventstoredb.ts';
import { engineMongoDb } from './engine-mongodb.ts';
import { engineRedis } from './engine-redis.ts';
import { keepResults, type Measured, printMeasured } from './report.ts';
import { fleet } from './fleet.ts';
import { dataGrowth, dataReads } from './data-reads.ts';
import { exports } from './exports.ts';
import { imports } from './imports.ts';
import { mcpCall } from './mcp.ts';
import { coldSpend } from './long-mandate.ts';
import { metering } from './metering.ts';
import { readsUnderWrites } from './reads-under-writes.ts';
import { rebuildFromEventStoreDb } from './rebuild-eventstoredb.ts';
import { auditReplay, rebuild } from './replays.ts';
import { start } from './start.ts';
import { manyMandates, oneMandate } from './trials.ts';
import { trialsInEventStoreDb } from './trials-eventstoredb.ts';
import { viewLag } from './view-lag.ts';

const BENCHES: readonly Bench[] = [
  manyMandates,
  oneMandate,
  commandRunner,
  coldSpend,
  agentRead,
  agentList,
  search,
  growth,
  start,
  readsUnderWrites,
  rebuild,
  viewLag,
  auditReplay,
  mcpCall,
  dataReads,
  dataGrowth,
  imports,
  exports,
  metering,
  engineEventStoreDb,
  trialsInEventStoreDb,
  rebuildFromEventStoreDb,
  engineMongoDb,
  engineRedis,
  fleet,
];

const HERE = fileURLToPath(new URL('.', import.meta.url));
const QUICK = { rounds: 1, seconds: 1 };
const FULL = { rounds: 5, seconds: 4 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const chosen = BENCHES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are:`);
  for (const { name, title } of BENCHES) console.error(`  ${name.padEnd(4)} ${title}`);
  process.exit(2);
}

console.log(
  unpinned === undefined ? 'Server on core 0, load on core 1.' : `Nothing is pinned to a core: ${unpinned}.`,
);
moveToLoadCore();
const all: Measured[] = [];
for (const bench of chosen) all.push(await measure(bench));
const path = keepResults(
  join(HERE, 'results'),
  { isQuick: values.quick, isPinned: unpinned === undefined },
  all,
);
console.log(`\nAll of it: ${path}`);
// Those that fail are told of and do not keep the others from being measured.
process.exit(all.some(({ failure }) => failure !== undefined) ? 1 : 0);

async function measure(bench: Bench): Promise<Measured> {
  const kept = join(HERE, 'data');
  mkdirSync(kept, { recursive: true });
  const scratch = mkdtempSync(join(kept, 'run-'));
  const run: BenchRun = {
    isQuick: values.quick,
    ...(values.quick ? QUICK : FULL),
    root: join(HERE, '../..'),
    scratch,
    kept,
    say: (line) => console.log(line),
  };
  console.log(`\n${bench.name}  ${bench.title}`);
  const sync = bench.isDurable ? syncLatency(scratch) : null;
  try {
    const measured: Measured = { bench, sync, figures: await bench.run(run) };
    printMeasured(measured);
    return measured;
  } catch (error) {
    console.error(`  ${bench.name} failed:`, error);
    return { bench, sync, figures: [], failure: String(error) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
