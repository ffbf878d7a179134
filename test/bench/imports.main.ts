/**
 * Imports a file into tools, as `bourse import` does. Arguments: the file and a scratch folder. Answers each message with
 * what a first import, the same again, and the views after it took in a new market.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openMarket } from '../../src/composition/app.ts';
import { importRows } from '../../src/importing/import-rows.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';

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
const CHUNK_BYTES = 256 * 1_024;
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
    const outcome = await importRows(market.services, {
      dataset: 'tools',
      // Without an encoding its chunks are bytes.
      bytes: createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>,
      format: 'jsonl',
      source: { kind: 'file', name: 'rows.jsonl' },
      attribution: null,
      isComplete: true,
      mayRetireMany: false,
      dryRun: false,
      cause: { at: new Date().toISOString(), actor: 'cli', requestId: 'bench' },
    });
    if (!outcome.ok || outcome.report.counts.refused > 0) throw new Error('the import was refused');
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
