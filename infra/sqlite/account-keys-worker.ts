/** The worker behind account-keys.ts: it makes and erases keys, and looks for them while it does. */
import { workerData } from 'node:worker_threads';
import { accountKeyCalls, connectToAccountKeys } from './account-keys-file.ts';
import type { OpenFiles } from './open-files.ts';
import { serveCalls } from './serve-calls.ts';

// Only account-keys.ts starts this worker, and it passes the files that it has open.
const files = workerData as OpenFiles;
serveCalls(files.path, connectToAccountKeys, (db) => ({ calls: accountKeyCalls(db) }), {
  files,
  hasWal: false,
});
