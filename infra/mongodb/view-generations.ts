/** Generations coming and going: a registry entry, a collection, and its indexes. */
import type { Db } from 'mongodb';
import type { CollectionSpec, GenerationStatus, ViewStore } from '../../projections/view-store.ts';
import type { CommitJournal } from './commit-journal.ts';
import type { MongoLink } from './connection.ts';
import { type GenerationRow, type Registry, toStatus } from './registry.ts';
import type { ViewCommits } from './view-commits.ts';
import { generationOf, indexesOf, type ViewLayout, viewLayout } from './view-layout.ts';

export type Rebuilding = Pick<ViewStore, 'beginGeneration' | 'makeReadable' | 'promote' | 'dropGeneration'>;

export interface ViewGenerations extends Rebuilding {
  /** The first generation of a view, live at once, unless another process has just made one. */
  readonly makeFirst: (spec: CollectionSpec) => Promise<void>;
  /** Removes collections that a process left when it died, or wrote to too late. */
  readonly sweep: () => Promise<void>;
  readonly forgetAll: () => Promise<void>;
}

export function viewGenerations(
  link: MongoLink,
  registry: Registry,
  journal: CommitJournal,
  { finish }: Pick<ViewCommits, 'finish'>,
): ViewGenerations {
  const { db, ask, askPatiently } = link;

  const find = async (view: string, generation: number): Promise<GenerationRow | undefined> =>
    (await registry.read(view)).find((row) => row.generation === generation);
  const dropCollection = async (generation: number): Promise<void> => {
    await ask(() => db.dropCollection(`view_${generation}`));
  };
  const drop = async (generation: number): Promise<void> => {
    await registry.remove(generation);
    await dropCollection(generation);
    await journal.forget([{ generation, step: Number.MAX_SAFE_INTEGER }]);
  };
  const makeReadable: Rebuilding['makeReadable'] = async (view, generation) => {
    const row = await find(view, generation);
    const spec = await registry.specOf(generation);
    if (row === undefined || row.isReadable || spec === undefined) return;
    await askPatiently((own) => makeIndexes(own, viewLayout(generation, spec)));
    await registry.setReadable(generation);
  };

  return {
    async makeFirst(spec) {
      const generation = await registry.add(spec, true);
      await ask(() => makeIndexes(db, viewLayout(generation, spec)));
      if (!(await registry.setFirstLive(spec.name, generation))) await drop(generation);
    },
    async sweep() {
      const collections = await ask(() => db.listCollections({}, { nameOnly: true }).toArray());
      const kept = new Set((await registry.read()).map(({ generation }) => generation));
      for (const { name } of collections) {
        const generation = generationOf(name);
        if (generation !== undefined && !kept.has(generation)) await dropCollection(generation);
      }
    },
    async forgetAll() {
      for (const { view, generation, live } of await registry.read()) {
        // Readers are told that the view is being built before its documents go.
        if (live) await registry.removePointer(view);
        await drop(generation);
      }
    },
    async beginGeneration(spec): Promise<GenerationStatus> {
      const generation = await registry.add(spec, false);
      const row = await find(spec.name, generation);
      if (row === undefined) throw new Error(`no generation was made for ${spec.name}`);
      return toStatus(row);
    },
    makeReadable,
    async promote(view, generation) {
      await makeReadable(view, generation);
      const promoted = await find(view, generation);
      if (promoted?.isReadable !== true) return false;
      await finish([generation]);
      await registry.setLive(view, generation);
      const rows = await registry.read(view);
      // Another process that swaps in its own drops this one, or has made its own the live one meanwhile.
      const isThere = rows.some((row) => row.generation === generation);
      const others = rows.filter((row) => row.generation !== generation && !row.live);
      if (isThere) for (const other of others) await drop(other.generation);
      return isThere;
    },
    async dropGeneration(view, generation) {
      const row = await find(view, generation);
      if (row?.live === false) await drop(generation);
    },
  };
}

/** Those that are there already stay. */
async function makeIndexes(db: Db, layout: ViewLayout): Promise<void> {
  const indexes = indexesOf(layout);
  if (indexes.length > 0) await db.collection(layout.collection).createIndexes([...indexes]);
}
