/** What the parts of the SQLite view store share: the file, its registry, and how transactions are begun. */
import type { Database } from 'better-sqlite3';
import { type CollectionSpec, ViewsUnavailable } from '../../projections/view-store.ts';
import { type LiveViews, liveViews } from './live-views.ts';
import { createReadCache, type TurnVersion, turnVersion } from './read-cache.ts';
import { answering, patiently } from './view-errors.ts';
import { connectToViewFile, openViewFile } from './view-file.ts';
import { type GenerationRow, type GenerationTable, generationTable } from './view-generations.ts';
import { createTables, indexStatements, viewTable } from './view-tables.ts';
import { type ViewWriter, viewWriter } from './view-writer.ts';
import { walMarker } from './wal-origin.ts';
import { displacement, openFiles } from './open-files.ts';

/** What another thread of the process needs to know of it. */
export interface ViewsOpenHere {
  readonly path: string;
  /** A descriptor of the file. */
  readonly file: number;
}

export interface ViewEngine {
  readonly db: Database;
  readonly place: ViewsOpenHere;
  readonly generations: GenerationTable;
  readonly live: LiveViews;
  readonly version: TurnVersion;
  /** @throws {ViewsUnavailable} the file was removed or replaced */
  readonly assertInPlace: () => void;
  readonly close: () => void;
  /**
   * All or nothing, after whoever writes now.
   * @param committed told of the result before anybody else can read what was written
   * @throws {ViewsUnavailable}
   */
  readonly write: <T>(work: () => T, committed?: (result: T) => void) => Promise<T>;
  /** For work elsewhere that writes the file for a while: `write` waits for its end. */
  readonly holdingWrites: <T>(work: () => Promise<T>) => Promise<T>;
  /** As the file is at one moment. @throws {ViewsUnavailable} */
  readonly read: <T>(work: () => T) => T;
  /** The next three within a transaction. */
  readonly writerOf: (view: string, generation: number) => ViewWriter | undefined;
  readonly create: (spec: CollectionSpec, isLive: boolean) => GenerationRow;
  /** Its tables are left to be removed (view-steps.ts), which may take long. */
  readonly drop: (row: GenerationRow) => void;
}

export function viewEngine(path: string): ViewEngine {
  return openViewFile(path, (db) => engineOn(db, path));
}

/** A second one, in a process that has the file open. @param file that of the first, which is closed after this one */
export function viewEngineBeside({ path, file }: ViewsOpenHere): ViewEngine {
  return connectToViewFile(path, (db) => engineOn(db, path, file));
}

function engineOn(db: Database, path: string, lent?: number): ViewEngine {
  const generations = generationTable(db);
  const wal = walMarker(db, path, lent);
  const watched = watchedPlace(path);
  const { assertInPlace } = watched;
  const version = turnVersion(db);
  const cache = createReadCache(version);
  const writers = new Map<number, ViewWriter>();
  let writingElsewhere: Promise<unknown> | undefined;
  return {
    db,
    place: { path, file: wal.file },
    generations,
    live: liveViews(db, { generations, cache, version, assertInPlace }),
    version,
    assertInPlace,
    close() {
      watched.close();
      if (db.open) db.close();
      wal.close();
    },
    async write(work, committed) {
      while (writingElsewhere !== undefined) await writingElsewhere;
      const transaction = db.transaction(() => {
        const result = work();
        wal.join();
        return result;
      });
      return patiently(() => {
        assertInPlace();
        const result = transaction.immediate();
        wal.mark();
        committed?.(result);
        return result;
      });
    },
    async holdingWrites(work) {
      const working = work();
      writingElsewhere = working.catch(() => undefined);
      try {
        return await working;
      } finally {
        writingElsewhere = undefined;
      }
    },
    read(work) {
      assertInPlace();
      return answering(() => db.transaction(work)());
    },
    writerOf(view, generation) {
      const known = writers.get(generation);
      if (known !== undefined) return known;
      const row = generations.find(view, generation);
      if (row === undefined) return undefined;
      const writer = viewWriter(db, viewTable(generation, row.spec));
      writers.set(generation, writer);
      return writer;
    },
    create(spec, isLive) {
      const row = generations.insert(spec, isLive);
      const table = viewTable(row.generation, row.spec);
      createTables(db, table);
      // One that is built beside the live one gets its indexes when it is full.
      if (isLive) for (const statement of indexStatements(table).values()) db.exec(statement);
      return row;
    },
    drop({ generation }) {
      writers.delete(generation);
      generations.remove(generation);
    },
  };
}

const LOOK_EVERY_MS = 250;

interface WatchedPlace {
  /** @throws {ViewsUnavailable} the file was removed or replaced: what is read there is not fed any more */
  readonly assertInPlace: () => void;
  readonly close: () => void;
}

/** Whether the file is where it was opened: looked at now and then, so that a read pays nothing for it. */
function watchedPlace(path: string): WatchedPlace {
  const files = openFiles(path);
  let displaced: string | null = null;
  const look = (): void => {
    displaced = displacement(files);
  };
  // It alone does not keep the process alive.
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    assertInPlace() {
      if (displaced !== null) throw new ViewsUnavailable(displaced);
    },
    close: () => clearInterval(timer),
  };
}
