/** What every ViewStore promises. An adapter's test file hands in how to open one on a fresh engine. */
import type { ViewStore } from '../../projections/view-store.ts';
import { commitsFromCheckpoints } from './view-store.commits.ts';
import { keepsDocuments } from './view-store.documents.ts';
import { servesWhatIsLive } from './view-store.first-generations.ts';
import { buildsInGenerations } from './view-store.generations.ts';
import { pagesByFieldsAndOrders } from './view-store.pages.ts';
import { searchesByWords } from './view-store.searches.ts';
import { shelfOn } from './view-store.shelf.ts';
import { keepsSnapshots } from './view-store.snapshots.ts';

export interface ViewStoreEngine {
  /** Opens a store on the engine; several may be open at once, as of several processes. */
  readonly connect: () => Promise<ViewStore>;
  readonly dispose: () => Promise<void>;
}

/** @param runs how many cases each property is tried on: fewer where a server takes its time for each */
export function viewStoreContract(name: string, start: () => Promise<ViewStoreEngine>, runs = 60): void {
  describe(`ViewStore: ${name}`, () => {
    const bench = shelfOn(start);
    keepsDocuments(bench);
    commitsFromCheckpoints(bench);
    servesWhatIsLive(bench);
    buildsInGenerations(bench);
    pagesByFieldsAndOrders(bench, runs);
    keepsSnapshots(bench);
    searchesByWords(bench);
  });
}
