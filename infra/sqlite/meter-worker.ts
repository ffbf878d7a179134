/** The worker behind meter.ts. */
import { workerData } from 'node:worker_threads';
import { openMeterFile } from './meter-file.ts';
import { meterTable } from './meter-table.ts';
import { serveCalls } from './serve-calls.ts';

// Only meter.ts starts this worker, and it passes the path.
const path = workerData as string;

serveCalls(path, () => {
  const db = openMeterFile(path);
  return { db, calls: meterTable(db) };
});
