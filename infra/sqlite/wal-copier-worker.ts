/** The worker behind wal-copier.ts: it copies one WAL after the other back into its database. */
import { parentPort } from 'node:worker_threads';
import type { FromCopier, ToCopier } from './wal-copier.ts';
import { copyWalBack, withConnection } from './wal-keeper.ts';

/**
 * A pass leaves what was written while it ran, and does not know of it: only one that finds no more than the pass before
 * has come to the end, from where the writer begins the WAL anew. Otherwise it grows until the writer has to stop for it.
 */
const MAX_PASSES = 10;

if (parentPort === null) throw new Error('wal-copier-worker is started by wal-copier only');
const port = parentPort;

port.on('message', (path: ToCopier) => {
  if (path === null) return port.close();
  port.postMessage(copied(path));
});

function copied(path: string): FromCopier {
  try {
    withConnection(path, (db) => {
      let [before, found] = [-1, copyWalBack(db)];
      for (let passes = 1; found !== before && passes < MAX_PASSES; passes += 1) {
        [before, found] = [found, copyWalBack(db)];
      }
    });
    return { path, failure: null };
  } catch (error) {
    return { path, failure: error instanceof Error ? error.message : String(error) };
  }
}
