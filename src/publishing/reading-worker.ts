/** The worker behind read-in-worker.ts: it reads one text, and can be ended while it does. */
import { parentPort, workerData } from 'node:worker_threads';
import { readPublication } from './read-publication.ts';

if (parentPort === null) throw new Error('reading-worker is started by read-in-worker only');
// Only read-in-worker.ts starts this worker, and it passes the text.
parentPort.postMessage(readPublication(workerData as string));
