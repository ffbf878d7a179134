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
  type ViewStore,
} from '../../projections/view-store.ts';
import type { ReadCache, TurnVersion } from './read-cache.ts';
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
  const reading = async <T>(view: string, read: (live: LiveView) => T): Promise<T> => {
    assertInPlace();
    return answering(() => {
      if (!isMapped) mapForReading(db);
      isMapped = true;
      look();
      return readOrReload(view, read);
    });
  };
  const reads: Pick<ViewStore, 'getJson' | 'page'> = {
    getJson: (view, key) => reading(view, (live) => live.json(key)),
    page: (view, query) => reading(view, (live) => live.page(query)),
  };

  return {
    /** What this program knows of the collections, which may be more than their live generations do. */
    declare(specs: readonly CollectionSpec[]): void {
      for (const spec of specs) declared.set(spec.name, spec);
    },
    /** What this program knows of the collection. */
    declared: (view: string): CollectionSpec | undefined => declared.get(view),
    reload,
    reads,
    /** This process has committed. */
    moved(all: readonly Moves[]): void {
      for (const moves of all) {
        const live = views.get(moves.view);
        if (live?.generation === moves.generation) live.moved(moves);
      }
    },
  };
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
  const find = (query: PageQuery): Page => pages.page(query, declared.get(row.view) ?? row.spec);
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
    recount: update,
    moved: ({ written, added, moved }) => {
      update(documents + added, moves + moved);
      cache.forget(row.generation, written);
    },
  };
}
