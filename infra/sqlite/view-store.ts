/**
 * Views in a SQLite file of their own. Unlike the log they can be rebuilt, so a commit need not be synced; reads and
 * writes run in the event loop, since each takes microseconds. Pages that may take long are found by a worker. Other
 * processes may write the same file.
 */
import { checkSameShape } from '../../projections/page-query.ts';
import type { ViewCommit, ViewStore } from '../../projections/view-store.ts';
import type { Moves } from './live-views.ts';
import { openPageReader, type PageReaderOptions } from './page-reader.ts';
import { trimmedWal } from './trimmed-wal.ts';
import { type ViewEngine, viewEngine } from './view-engine.ts';
import { toStatus } from './view-generations.ts';
import { ALL_LISTED } from './view-lists.ts';
import { viewSnapshot } from './view-snapshot.ts';
import { type ViewUpkeep, viewUpkeep, type ViewUpkeepOptions } from './view-upkeep.ts';
import { touch } from './touch.ts';

const NO_CHANGES = { added: 0, moved: 0 };

export interface SqliteViewStoreOptions extends PageReaderOptions, ViewUpkeepOptions {
  /** Whether no log in SQLite is beside it, whose worker keeps its WAL small. */
  readonly isAlone?: boolean;
}

/** @param path of the file, created when it does not exist; its folder must */
export function openSqliteViewStore(path: string, options: SqliteViewStoreOptions = {}): ViewStore {
  const engine = viewEngine(path);
  // Of their own: a list takes a tenth of what a search may.
  const [searches, lists] = [openPageReader(path, options), openPageReader(path, options)];
  const upkeep = viewUpkeep(engine, options);
  const wal = options.isAlone === true ? trimmedWal(path) : null;
  const removeTables = (): void => {
    // What is left by a failure the next one removes.
    upkeep.run({ kind: 'remove-tables' }).catch(() => undefined);
  };
  const { db, generations, live, version, read, write, writerOf } = engine;
  return {
    async open(specs) {
      live.declare(specs);
      removeTables();
      return read(() => {
        for (const spec of specs) {
          for (const row of generations.of(spec.name)) checkSameShape(row.spec, spec);
        }
        live.reload();
        return generations.statuses();
      });
    },
    async beginLive(specs) {
      await write(() => {
        for (const spec of specs) {
          if (!generations.of(spec.name).some((row) => row.live)) engine.create(spec, true);
        }
      });
      live.reload();
    },
    getJson: live.getJson,
    async page(view, query, asking) {
      const look = () => live.look(view, query);
      const known = look();
      if ('rows' in known) return known;
      return (query.words === undefined ? lists : searches).find(asking, look);
    },
    async snapshot(view) {
      return viewSnapshot(path, view, live.declared(view), engine.assertInPlace);
    },
    async load(view, generation, keys) {
      return read(() => {
        const found = new Map<string, string>();
        if (!generations.exists(view, generation)) return found;
        const writer = writerOf(view, generation);
        for (const key of keys) {
          const json = writer?.load(key);
          if (json !== undefined) found.set(key, json);
        }
        return found;
      });
    },
    async commit(commits) {
      const moves = await write(
        () => commits.map((commit) => commitOne(engine, commit)),
        (made) => live.moved(made.filter((one) => one !== null)),
      );
      return commits.filter((_, i) => moves[i] === null).map(({ view }) => view);
    },
    ...rebuilding(engine, upkeep, removeTables),
    async forgetAll() {
      await write(() => generations.all().forEach(engine.drop));
      live.reload();
      removeTables();
    },
    async setStuck(view, generation, stuck) {
      await write(() => generations.setStuck(view, generation, stuck));
    },
    async skip(skipped) {
      await write(() => generations.skip(skipped));
    },
    async skipped() {
      return read(() => generations.skipped());
    },
    async status() {
      version.doubt();
      return read(() => generations.statuses());
    },
    async marks() {
      return read(() => generations.marks());
    },
    async checkWritable() {
      await write(() => {
        // Whoever commits reads it: one that is damaged lets nothing be projected.
        generations.all();
        touch(db);
      });
    },
    async close() {
      await Promise.all([searches.close(), lists.close(), upkeep.close(), wal?.close()]);
      engine.close();
    },
  };
}

/** What the commit moved, or null when the generation does not stand where the commit starts. */
function commitOne({ generations, writerOf }: ViewEngine, commit: ViewCommit): Moves | null {
  const { view, generation, writes } = commit;
  const listedTo = generations.advance(commit);
  if (listedTo === undefined) return null;
  const writer = writes.length === 0 ? undefined : writerOf(view, generation);
  if (listedTo === 0) writer?.fill(writes);
  const { added, moved } = (listedTo > 0 && writer?.write(writes, listedTo)) || NO_CHANGES;
  if (moved > 0) generations.count(generation, added, moved);
  return { view, generation, written: writes.map(({ key }) => key), added, moved };
}

type Rebuilding = Pick<ViewStore, 'beginGeneration' | 'makeReadable' | 'promote' | 'dropGeneration'>;

function rebuilding(
  { generations, live, write, create, drop }: ViewEngine,
  upkeep: ViewUpkeep,
  removeTables: () => void,
): Rebuilding {
  const makeReadable: ViewStore['makeReadable'] = (view, generation) =>
    upkeep.run({ kind: 'make-readable', view, generation });
  return {
    makeReadable,
    async beginGeneration(spec) {
      return toStatus(await write(() => create(spec, false)));
    },
    async promote(view, generation) {
      await makeReadable(view, generation);
      const isPromoted = await write(() => {
        if (generations.find(view, generation)?.listedTo !== ALL_LISTED) return false;
        for (const other of generations.of(view)) if (other.generation !== generation) drop(other);
        generations.setLive(generation);
        return true;
      });
      live.reload();
      removeTables();
      return isPromoted;
    },
    async dropGeneration(view, generation) {
      await write(() => {
        const row = generations.find(view, generation);
        if (row?.live === false) drop(row);
      });
      removeTables();
    },
  };
}
