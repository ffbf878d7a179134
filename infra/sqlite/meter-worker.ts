/** The worker behind meter.ts. */
import { workerData } from 'node:worker_threads';
import { meterConnection } from './meter-calls.ts';
import { openMeterFile } from './meter-file.ts';
import { serveCalls } from './serve-calls.ts';

// Only meter.ts starts this worker, and it passes the path.
serveCalls(workerData as string, openMeterFile, meterConnection);
