/**
 * Imports a file into tools, as `bourse import` does. Arguments: the file and a scratch folder. Answers each message with
 * what a first import, the same again, and the views after it took in a new market.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openMarket } from '../../src/composition/app.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';
import { importToolsOf } from './import-tools.ts';

export interface Took {
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMs: number;
}

export interface ImportsMeasured {
  readonly first: Took;
  readonly again: Took;
  /** Until the views show the rows. */
  readonly views: Took;
  /** While it imported, twice. */
  readonly peakMib: number;
}

const [file = '', scratch = ''] = process.argv.slice(2);
const EVERY_MS = 20;

process.on('message', () => void measure().then((done) => process.send?.(done)));
process.send?.('ready');

async function measure(): Promise<ImportsMeasured> {
  const dataDir = join(scratch, `imports-${randomUUID()}`);
  const market = await openMarket(readConfig({ DATA_DIR: dataDir }), createLog('silent'));
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const looking = setInterval(look, EVERY_MS);
  const importOnce = async (): Promise<void> => {
    await importToolsOf(market.services, file);
    look();
  };
  try {
    const first = await timed(importOnce);
    const again = await timed(importOnce);
    clearInterval(looking);
    const views = await timed(market.catchUp);
    return { first, again, views, peakMib: peak / 1_024 ** 2 };
  } finally {
    clearInterval(looking);
    await market.close();
    await rm(dataDir, { recursive: true });
  }
}

async function timed(work: () => Promise<void>): Promise<Took> {
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ms: performance.now() - startMs, cpuMs: (user + system) / 1_000 };
}
