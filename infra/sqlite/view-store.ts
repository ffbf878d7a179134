/**
 * Views in a SQLite file of their own. Unlike the log they can be rebuilt, so a commit need not be synced; reads and
 * writes run in the event loop, since each takes microseconds. Other processes may write the same file.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkSameShape } from '../../projections/page-query.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { viewDocuments } from './view-documents.ts';
import { type ViewEngine, viewEngine } from './view-engine.ts';
import { toStatus } from './view-generations.ts';
import { ALL_LISTED } from './view-lists.ts';
import { readableSteps } from './view-readable.ts';
import { touch } from './touch.ts';

/** @param path of the file, created when it does not exist; its folder must */
export function openSqliteViewStore(path: string): ViewStore {
  const engine = viewEngine(path);
  const { db, generations, live, reads, read, write } = engine;
  return {
    async open(specs) {
      live.declare(specs);
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
    ...viewDocuments(engine),
    ...rebuilding(engine),
    async forgetAll() {
      await write(() => generations.all().forEach(engine.drop));
      live.reload();
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
      reads.doubt();
      return read(() => generations.statuses());
    },
    async marks() {
      return read(() => generations.marks());
    },
    async checkWritable() {
      await write(() => touch(db));
    },
    async close() {
      engine.close();
    },
  };
}

type Rebuilding = Pick<ViewStore, 'beginGeneration' | 'makeReadable' | 'promote' | 'dropGeneration'>;

function rebuilding({ db, generations, live, read, write, create, drop }: ViewEngine): Rebuilding {
  const makeReadable: ViewStore['makeReadable'] = async (view, generation) => {
    const row = read(() => generations.find(view, generation));
    if (row === undefined || row.listedTo === ALL_LISTED) return;
    for (const step of readableSteps(db, generations, row)) {
      // Step by step, since others want to read and write meanwhile.
      while (!(await write(step))) await nextTurn();
      await nextTurn();
    }
  };
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
      return isPromoted;
    },
    async dropGeneration(view, generation) {
      await write(() => {
        const row = generations.find(view, generation);
        if (row?.live === false) drop(row);
      });
    },
  };
}
