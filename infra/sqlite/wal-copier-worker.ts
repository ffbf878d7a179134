/** The worker behind wal-copier.ts: it copies one WAL after the other back into its database. */
import { withConnection } from './connections.ts';
import { serveQuestions } from './serve-questions.ts';
import type { CopyOrder, FromCopier } from './wal-copier.ts';
import { copyWalBack } from './wal-keeper.ts';

serveQuestions(copied, () => {});

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
