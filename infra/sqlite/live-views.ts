/**
 * The generations that are read. Another process may write them or swap one; SQLite's `data_version` tells that one
 * has, and a table that is suddenly missing tells it too.
 */
import type { Database } from 'better-sqlite3';
import {
  type CollectionSpec,
  type Page,
  type PageQuery,
  ViewBeingBuilt,
} from '../../projections/view-store.ts';
import { checkPageQuery } from '../../projections/page-query.ts';
import type { SlowPage } from './page-reader.ts';
import type { ReadCache, TurnVersion } from './read-cache.ts';
import { searchCosts } from './search-costs.ts';
import { viewCounts } from './view-counts.ts';
import { answering, isSchemaError, storedText } from './view-errors.ts';
import { mapForReading } from './view-file.ts';
import type { GenerationRow, GenerationTable } from './view-generations.ts';
import { viewPages } from './view-pages.ts';
import { preparedStatements } from './view-statements.ts';
import { viewTable } from './view-tables.ts';

export interface Moves {
  readonly view: string;
  readonly generation: number;
  /** The keys of the documents. */
  readonly written: readonly string[];
  readonly added: number;
  readonly moved: number;
}

interface LiveView {
  readonly generation: number;
  readonly json: (key: string) => string | undefined;
  readonly page: (query: PageQuery) => Page;
  /** The page, or how to have it found elsewhere where that may take long. */
  readonly look: (query: PageQuery) => Page | SlowPage;
  /** What the registry says of its documents now. */
  readonly recount: (documents: number, moves: number) => void;
  readonly moved: (moves: Moves) => void;
}

export type LiveViews = ReturnType<typeof liveViews>;

interface LiveViewsParts {
  readonly generations: GenerationTable;
  readonly cache: ReadCache;
  readonly version: TurnVersion;
  /** @throws {ViewsUnavailable} the file was removed or replaced */
  readonly assertInPlace: () => void;
}

export function liveViews(db: Database, { generations, cache, version, assertInPlace }: LiveViewsParts) {
  const views = new Map<string, LiveView>();
  const declared = new Map<string, CollectionSpec>();
  let isMapped = false;
  let seenVersion: number | undefined;

  const reload = (): void => {
    version.doubt();
    seenVersion = version.now();
    const rows = generations.all().filter((row) => row.live);
    for (const view of views.keys()) if (!rows.some((row) => row.view === view)) views.delete(view);
    for (const row of rows) {
      const known = views.get(row.view);
      if (known?.generation === row.generation) known.recount(row.documents, row.moves);
      else views.set(row.view, liveView(db, row, declared, cache));
    }
  };
  const look = (): void => {
    if (version.now() !== seenVersion) reload();
  };
  const find = (view: string): LiveView => {
    if (!views.has(view)) {
      version.doubt();
      look();
    }
    const found = views.get(view);
    if (found !== undefined) return found;
    throw declared.has(view) ? new ViewBeingBuilt(view) : new RangeError(`there is no view ${view}`);
  };
  const readOrReload = <T>(view: string, read: (live: LiveView) => T): T => {
    try {
      return read(find(view));
    } catch (error) {
      if (!isSchemaError(error)) throw error;
      reload();
      return read(find(view));
    }
  };
  /** As of this turn. */
  const reading = <T>(view: string, read: (live: LiveView) => T): T => {
    assertInPlace();
    return answering(() => {
      if (!isMapped) mapForReading(db);
      isMapped = true;
      look();
      return readOrReload(view, read);
    });
  };

  return {
    /** What this program knows of the collections, which may be more than their live generations do. */
    declare(specs: readonly CollectionSpec[]): void {
      for (const spec of specs) declared.set(spec.name, dataOf(spec));
    },
    /** What this program knows of the collection. */
    declared: (view: string): CollectionSpec | undefined => declared.get(view),
    reload,
    getJson: async (view: string, key: string) => reading(view, (live) => live.json(key)),
    /** The page, however long it takes. */
    page: (view: string, query: PageQuery): Page => reading(view, (live) => live.page(query)),
    /** The page, or how to have it found elsewhere where that may take long. */
    look: (view: string, query: PageQuery): Page | SlowPage => reading(view, (live) => live.look(query)),
    /** The generation that is read. */
    generation: (view: string): number => find(view).generation,
    /** This process has committed. */
    moved(all: readonly Moves[]): void {
      for (const moves of all) {
        const live = views.get(moves.view);
        if (live?.generation === moves.generation) live.moved(moves);
      }
    },
  };
}

/** Without what else a projection is: it is sent to a worker. */
function dataOf({ name, version, fields, orders, searchable = false }: CollectionSpec): CollectionSpec {
  return { name, version, fields, orders, searchable };
}

function liveView(
  db: Database,
  row: GenerationRow,
  declared: ReadonlyMap<string, CollectionSpec>,
  cache: ReadCache,
): LiveView {
  const table = viewTable(row.generation, row.spec);
  const prepared = preparedStatements(db);
  const counts = viewCounts(prepared, table, row.documents);
  const pages = viewPages(prepared, table, counts);
  const json = db.prepare<[string], string>(`SELECT json FROM ${table.name} WHERE key = ?`).pluck();
  const read = (key: string): string | undefined => {
    const found = json.get(key);
    return found === undefined ? undefined : storedText(found);
  };
  const today = (): CollectionSpec => declared.get(row.view) ?? row.spec;
  const find = (query: PageQuery): Page => pages.page(query, today());
  const costs = searchCosts();
  let { documents, moves } = row;
  const update = (nowDocuments: number, nowMoves: number): void => {
    counts.moved(nowDocuments, nowMoves - moves);
    documents = nowDocuments;
    moves = nowMoves;
  };
  return {
    generation: row.generation,
    json: (key) => cache.document(row.generation, key, read),
    page: (query) => cache.page(row.generation, query, find),
    look(query) {
      const known = cache.known(row.generation, query);
      if (known !== undefined) return known;
      const { words } = checkPageQuery(row.spec, query, today());
      const question = { view: row.view, query, today: declared.get(row.view) };
      if (words === null) {
        if (pages.isSoon(query)) return cache.page(row.generation, query, find);
        const keep = cache.expect(row.generation, query);
        return {
          question,
          take({ page, generation }) {
            if (generation === row.generation && keep(page)) pages.learn(query, page.total);
            return page;
          },
        };
      }
      if (!costs.mayBeLong(words, documents)) {
        const startedMs = performance.now();
        const page = cache.page(row.generation, query, find);
        costs.took(words, performance.now() - startedMs);
        return page;
      }
      const keep = cache.expect(row.generation, query);
      return {
        question,
        take({ page, generation, tookMs }) {
          costs.took(words, tookMs);
          if (generation === row.generation) keep(page);
          return page;
        },
      };
    },
    recount: update,
    moved: ({ written, added, moved }) => {
      update(documents + added, moves + moved);
      cache.forget(row.generation, written);
    },
  };
}
