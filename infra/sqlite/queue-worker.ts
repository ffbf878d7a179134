/** The worker behind queue.ts. */
import { workerData } from 'node:worker_threads';
import { queueCalls } from './queue-calls.ts';
import { openQueueFile } from './queue-file.ts';
import { serveCalls } from './serve-calls.ts';

// Only queue.ts starts this worker, and it passes the path.
serveCalls(workerData as string, openQueueFile, (db) => ({ calls: queueCalls(db) }));
