/**
 * Views in a SQLite file of their own. Unlike the log they can be rebuilt, so a commit need not be synced; reads and
 * writes run in the event loop, since each takes microseconds. Other processes may write the same file.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkSameShape } from '../../projections/page-query.ts';
import type { CollectionSpec, ViewCommit, ViewStore } from '../../projections/view-store.ts';
import { liveViews, type Moves } from './live-views.ts';
import { answering, patiently } from './view-errors.ts';
import { openViewFile } from './view-file.ts';
import { generationTable, toStatus, type GenerationRow } from './view-generations.ts';
import { createTables, dropTables, indexStatements, viewTable } from './view-tables.ts';
import { ALL_LISTED } from './view-lists.ts';
import { readableSteps } from './view-readable.ts';
import { viewWriter, type ViewWriter } from './view-writer.ts';

const NO_CHANGES = { added: 0, moved: 0 };

/** @param path of the file, created when it does not exist; its folder must */
export function openSqliteViewStore(path: string): ViewStore {
  const db = openViewFile(path);
  const generations = generationTable(db);
  const live = liveViews(db, generations);
  const writers = new Map<number, ViewWriter>();

  const writerOf = (view: string, generation: number): ViewWriter | undefined => {
    const known = writers.get(generation);
    if (known !== undefined) return known;
    const row = generations.find(view, generation);
    if (row === undefined) return undefined;
    const writer = viewWriter(db, viewTable(generation, row.spec));
    writers.set(generation, writer);
    return writer;
  };
  const create = (spec: CollectionSpec, isLive: boolean): GenerationRow => {
    const row = generations.insert(spec, isLive);
    const table = viewTable(row.generation, row.spec);
    createTables(db, table);
    if (isLive) for (const statement of indexStatements(table)) db.exec(statement);
    return row;
  };
  const drop = ({ generation, spec }: GenerationRow): void => {
    writers.delete(generation);
    dropTables(db, viewTable(generation, spec));
    generations.remove(generation);
  };
  /** What the commit moved, or null when the generation does not stand where the commit starts. */
  const commitOne = ({ view, generation, from, to, writes }: ViewCommit): Moves | null => {
    const listedTo = generations.advance(view, generation, from, to);
    if (listedTo === undefined) return null;
    const writer = writes.length === 0 ? undefined : writerOf(view, generation);
    if (listedTo === 0) writer?.fill(writes);
    const { added, moved } = (listedTo > 0 && writer?.write(writes, listedTo)) || NO_CHANGES;
    if (moved > 0) generations.count(generation, added, moved);
    return { view, generation, added, moved };
  };
  const inTransaction = <T>(work: () => T): Promise<T> => {
    const transaction = db.transaction(work);
    return patiently(() => transaction.immediate());
  };

  const store: ViewStore = {
    async open(specs) {
      live.declare(specs);
      await inTransaction(() => {
        for (const spec of specs) {
          const found = generations.of(spec.name).find((row) => row.live);
          if (found === undefined) create(spec, true);
          else checkSameShape(found.spec, spec);
        }
      });
      live.reload();
      return generations.statuses();
    },
    async getJson(view, key) {
      return live.json(view, key);
    },
    async page(view, query) {
      return live.page(view, query);
    },
    async load(view, generation, keys) {
      return answering(() => {
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
      const moves = await inTransaction(() => commits.map(commitOne));
      live.moved(moves.filter((one) => one !== null));
      return commits.filter((_, i) => moves[i] === null).map(({ view }) => view);
    },
    async beginGeneration(spec) {
      return toStatus(await inTransaction(() => create(spec, false)));
    },
    async makeReadable(view, generation) {
      const row = await patiently(() => generations.find(view, generation));
      if (row === undefined || row.listedTo === ALL_LISTED) return;
      for (const step of readableSteps(db, generations, row)) {
        // Step by step, since others want to read and write meanwhile.
        while (!(await inTransaction(step))) await nextTurn();
        await nextTurn();
      }
    },
    async promote(view, generation) {
      await store.makeReadable(view, generation);
      const promoted = await inTransaction(() => {
        if (generations.find(view, generation)?.listedTo !== ALL_LISTED) return false;
        for (const other of generations.of(view)) if (other.generation !== generation) drop(other);
        generations.setLive(generation);
        return true;
      });
      live.reload();
      return promoted;
    },
    async dropGeneration(view, generation) {
      await inTransaction(() => {
        const row = generations.find(view, generation);
        if (row?.live === false) drop(row);
      });
    },
    async setStuck(view, generation, stuck) {
      await inTransaction(() => generations.setStuck(view, generation, stuck));
    },
    async skip(skipped) {
      await inTransaction(() => generations.skip(skipped));
    },
    async skipped() {
      return answering(() => generations.skipped());
    },
    async status() {
      return answering(() => generations.statuses());
    },
    async close() {
      if (db.open) db.close();
    },
  };
  return store;
}
