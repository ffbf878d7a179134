/** The second worker behind meter.ts: an account may have a long history, and nobody is to be counted later for it. */
import { workerData } from 'node:worker_threads';
import { connectToReadMeter } from './meter-file.ts';
import { historyConnection } from './meter-history.ts';
import { serveCalls } from './serve-calls.ts';

// Only meter.ts starts this worker, and it passes the path.
serveCalls(workerData as string, connectToReadMeter, historyConnection, { onlyReads: true });
