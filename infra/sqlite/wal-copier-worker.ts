/** The worker behind wal-copier.ts: it copies one WAL after the other back into its database. */
import { parentPort } from 'node:worker_threads';
import type { FromCopier, ToCopier } from './wal-copier.ts';
import { copyWalBack, withConnection } from './wal-keeper.ts';

/** A pass leaves what was written while it ran, which is little, and the next one copies that in no time. */
const MAX_PASSES = 3;

if (parentPort === null) throw new Error('wal-copier-worker is started by wal-copier only');
const port = parentPort;

port.on('message', (path: ToCopier) => {
  if (path === null) return port.close();
  port.postMessage(copied(path));
});

function copied(path: string): FromCopier {
  try {
    withConnection(path, (db) => {
      let passes = 1;
      while (copyWalBack(db) > 0 && passes < MAX_PASSES) passes += 1;
    });
    return { path, failure: null };
  } catch (error) {
    return { path, failure: error instanceof Error ? error.message : String(error) };
  }
}
