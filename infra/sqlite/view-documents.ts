/** Reads and writes the documents of generations. */
import type { ViewCommit, ViewStore } from '../../projections/view-store.ts';
import type { Moves } from './live-views.ts';
import type { ViewEngine } from './view-engine.ts';

const NO_CHANGES = { added: 0, moved: 0 };

export function viewDocuments(engine: ViewEngine): Pick<ViewStore, 'getJson' | 'page' | 'load' | 'commit'> {
  const { generations, live, read, write, writerOf } = engine;
  return {
    async getJson(view, key) {
      return live.json(view, key);
    },
    async page(view, query) {
      return live.page(view, query);
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
