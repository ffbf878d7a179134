/**
 * Views in MongoDB, for several processes on several machines. Everything that matters is decided by single documents
 * and unique keys, so that a single server, a replica set and FerretDB serve alike.
 */
import { checkSameShape } from '../../projections/page-query.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { commitJournal } from './commit-journal.ts';
import { connectMongo, type MongoLink, type MongoOptions } from './connection.ts';
import { viewDocuments } from './view-documents.ts';
import { liveViews } from './live-views.ts';
import { generationRegistry, toStatus } from './registry.ts';
import { KEPT_COMMITS, settledEntries } from './settled-entries.ts';
import { skippedEvents } from './skipped-events.ts';
import { viewCommits } from './view-commits.ts';
import { viewGenerations } from './view-generations.ts';
import { viewLayout } from './view-layout.ts';

/** @throws {ViewsUnavailable} it cannot be reached, lets nobody in, or is too old: one line that says why */
export async function openMongoViewStore(options: MongoOptions): Promise<ViewStore> {
  return mongoViewStore(await connectMongo(options));
}

/** @param keptCommits whose settled entries stay in the journal */
export function mongoViewStore(link: MongoLink, keptCommits = KEPT_COMMITS): ViewStore {
  const registry = generationRegistry(link);
  const journal = commitJournal(link);
  const documents = viewDocuments(link);
  const commits = viewCommits(registry, journal, documents, settledEntries(journal, keptCommits));
  const generations = viewGenerations(link, registry, journal, commits);
  const live = liveViews(link, registry);
  const status: ViewStore['status'] = async () => (await registry.read()).map(toStatus);
  return {
    async open(specs) {
      live.declare(specs);
      const rows = await registry.read();
      for (const { view, generation } of rows) {
        const spec = specs.find(({ name }) => name === view);
        const built = spec && (await registry.specOf(generation));
        if (spec !== undefined && built !== undefined) checkSameShape(built, spec);
      }
      await commits.finish(rows.map(({ generation }) => generation));
      await generations.sweep();
      live.forget();
      return status();
    },
    async beginLive(specs) {
      const rows = await registry.read();
      const missing = specs.filter(({ name }) => !rows.some((row) => row.live && row.view === name));
      for (const spec of missing) await generations.makeFirst(spec);
      live.forget();
    },
    getJson: (view, key) => live.json(view, key),
    page: (view, query) => live.page(view, query),
    async load(view, generation, keys) {
      const spec = await registry.specOf(generation);
      return spec?.name === view ? commits.load(viewLayout(generation, spec), keys) : new Map();
    },
    commit: (all) => commits.commit(all),
    beginGeneration: generations.beginGeneration,
    makeReadable: generations.makeReadable,
    dropGeneration: generations.dropGeneration,
    async promote(view, generation) {
      const isPromoted = await generations.promote(view, generation);
      live.forget();
      return isPromoted;
    },
    async forgetAll() {
      await generations.forgetAll();
      live.forget();
    },
    setStuck: (view, generation, stuck) => registry.setStuck(view, generation, stuck),
    ...skippedEvents(link),
    status,
    async marks() {
      const rows = await registry.read();
      return rows.map(({ view, generation, checkpoint, mark }) => {
        return { view, generation, checkpoint, mark: mark ?? null };
      });
    },
    close: link.close,
  };
}
