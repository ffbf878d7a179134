/** The worker behind wal-copier.ts: it copies one WAL after the other back into its database. */
import { parentPort } from 'node:worker_threads';
import type { CopyOrder, FromCopier, ToCopier } from './wal-copier.ts';
import { copyWalBack, withConnection } from './wal-keeper.ts';

if (parentPort === null) throw new Error('wal-copier-worker is started by wal-copier only');
const port = parentPort;

port.on('message', (order: ToCopier) => {
  if (order === null) return port.close();
  port.postMessage(copied(order));
});

/** A pass does not know of what is written while it runs: one that finds no more than the pass before is at the end. */
function copied({ path, maxPasses }: CopyOrder): FromCopier {
  try {
    withConnection(path, (db) => {
      let [before, found] = [-1, copyWalBack(db)];
      for (let passes = 1; found !== before && passes < maxPasses; passes += 1) {
        [before, found] = [found, copyWalBack(db)];
      }
    });
    return { path, failure: null };
  } catch (error) {
    return { path, failure: error instanceof Error ? error.message : String(error) };
  }
}
