/** How long a sync takes on the disk that the data lie on: without it no durable figure says anything. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from './statistics.ts';

export interface SyncLatency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const PAGE_BYTES = 4_096;
const SYNCS = 500;

/** As a write-ahead log syncs: a page more, then fdatasync. */
export function syncLatency(folder: string): SyncLatency {
  const path = join(folder, 'sync-probe');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const took: number[] = [];
  for (let i = 0; i < SYNCS; i += 1) {
    const startedMs = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    took.push(performance.now() - startedMs);
  }
  closeSync(file);
  rmSync(path);
  return { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99) };
}
