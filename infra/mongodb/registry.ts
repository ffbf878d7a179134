/**
 * The collection `registry`: which generations there are and how far each has come, and for each view a pointer to its
 * live one. Each document changes as a whole; what one process alone may do is an insert, which succeeds once.
 */
import type { LogMark } from '../../events/log-mark.ts';
import type { CollectionSpec, GenerationStatus, StuckAt } from '../../projections/view-store.ts';
import type { MongoLink } from './connection.ts';
import { insertOnce } from './insert-once.ts';

export interface GenerationRow extends GenerationStatus {
  /** How many commits it has taken in. */
  readonly step: number;
  /** The last of them that wrote documents. */
  readonly changedAt: number;
  /** Whether it has what only reading needs. */
  readonly isReadable: boolean;
  /** Of the log up to its checkpoint; absent in what older programs wrote. */
  readonly mark?: LogMark;
}

/** What a commit makes of its generation. */
export type GenerationStep = Pick<
  GenerationRow,
  'generation' | 'step' | 'checkpoint' | 'documents' | 'changedAt' | 'mark'
>;

interface StoredGeneration extends Omit<GenerationRow, 'generation' | 'live'> {
  readonly _id: number;
  /** A {@link CollectionSpec} as JSON, since its names need not be such as fields may have. */
  readonly spec: string;
  /** It is kept for its number, until there is a higher one. */
  readonly isGone: boolean;
}

/** Leads from a view to its live generation. */
interface Pointer {
  readonly _id: string;
  readonly generation: number;
}

export type Registry = ReturnType<typeof generationRegistry>;

export function generationRegistry(link: MongoLink) {
  const { db, ask, maxTimeMS } = link;
  const generations = db.collection<StoredGeneration>('registry');
  const pointers = db.collection<Pointer>('registry');
  const all = db.collection<StoredGeneration | Pointer>('registry');
  const specs = new Map<number, CollectionSpec>();

  const numbers = { isGone: { $exists: true } };
  const insertNext = async (spec: CollectionSpec, isReadable: boolean): Promise<number> => {
    for (;;) {
      const highest = await ask(() =>
        generations.findOne(numbers, { sort: { _id: -1 }, projection: { _id: 1 }, maxTimeMS }),
      );
      // By the clock too: other processes know generations by their numbers, also such as the engine has lost.
      const number = Math.max((highest?._id ?? 0) + 1, Date.now());
      const next = newGeneration(number, spec, isReadable);
      if (await ask(() => insertOnce(() => generations.insertOne(next)))) return next._id;
    }
  };

  const setFirstLive = (view: string, generation: number): Promise<boolean> =>
    ask(() => insertOnce(() => pointers.insertOne({ _id: view, generation })));
  const replaceLive = async (view: string, generation: number): Promise<boolean> => {
    const { matchedCount } = await ask(() => pointers.updateOne({ _id: view }, { $set: { generation } }));
    return matchedCount > 0;
  };

  return {
    /** Those that are not gone, of all views or of one. */
    async read(view?: string): Promise<readonly GenerationRow[]> {
      const filter = view === undefined ? {} : { $or: [{ view }, { _id: view }] };
      // Numbers sort before texts: a pointer is read after the generations, and never leads to one that went before.
      const order = { sort: { _id: 1 }, projection: { spec: 0 }, maxTimeMS } as const;
      return rowsOf(await ask(() => all.find<StoredGeneration | Pointer>(filter, order).toArray()));
    },
    /** With which the generation was built; undefined when there was none, or it is gone. */
    async specOf(generation: number): Promise<CollectionSpec | undefined> {
      const known = specs.get(generation);
      if (known !== undefined) return known;
      const stored = await ask(() => generations.findOne({ _id: generation, isGone: false }, { maxTimeMS }));
      if (stored === null) return undefined;
      const spec = toSpec(stored);
      specs.set(generation, spec);
      return spec;
    },
    /** Answers with its number, which none has had before. */
    async add(spec: CollectionSpec, isReadable: boolean): Promise<number> {
      const generation = await insertNext(spec, isReadable);
      await ask(() => generations.deleteMany({ _id: { $lt: generation }, isGone: true }));
      return generation;
    },
    /** Leads to nothing any more. */
    async removePointer(view: string): Promise<void> {
      await ask(() => pointers.deleteOne({ _id: view }));
    },
    async remove(generation: number): Promise<void> {
      await ask(() => generations.updateOne({ _id: generation }, { $set: { isGone: true, spec: '' } }));
      specs.delete(generation);
    },
    /** The first of a view; false when it has a live one already. */
    setFirstLive,
    /** In the place of the one that is live, if there is one. */
    async setLive(view: string, generation: number): Promise<void> {
      if (await replaceLive(view, generation)) return;
      if (!(await setFirstLive(view, generation))) await replaceLive(view, generation);
    },
    async setReadable(generation: number): Promise<void> {
      await ask(() => generations.updateOne({ _id: generation }, { $set: { isReadable: true } }));
    },
    async setStuck(view: string, generation: number, stuck: StuckAt | null): Promise<void> {
      await ask(() => generations.updateOne({ _id: generation, view }, { $set: { stuck } }));
    },
    /** Moves each to its next step, unless somebody else has done so. */
    async settle(standings: readonly GenerationStep[]): Promise<void> {
      const updates = standings.map(({ generation, ...standing }) => ({
        updateMany: { filter: { _id: generation, step: standing.step - 1 }, update: { $set: standing } },
      }));
      await ask(() => generations.bulkWrite(updates, { ordered: false }));
    },
  };
}

export function toStatus(row: GenerationRow): GenerationStatus {
  const { view, version, generation, live, documents, checkpoint, stuck, isReadable } = row;
  return { view, version, generation, live, documents: isReadable ? documents : 0, checkpoint, stuck };
}

function newGeneration(_id: number, spec: CollectionSpec, isReadable: boolean): StoredGeneration {
  const { name, version, fields, orders, searchable = false } = spec;
  return {
    _id,
    view: name,
    version,
    spec: JSON.stringify({ name, version, fields, orders, searchable }),
    isReadable,
    isGone: false,
    step: 0,
    changedAt: 0,
    documents: 0,
    checkpoint: null,
    stuck: null,
  };
}

function rowsOf(stored: readonly (StoredGeneration | Pointer)[]): readonly GenerationRow[] {
  const live = new Set(stored.flatMap((one) => ('view' in one ? [] : [one.generation])));
  return stored.flatMap((one) => {
    if (!('view' in one) || one.isGone) return [];
    const { _id: generation, isGone: _, spec: __, ...rest } = one;
    return [{ ...rest, generation, live: live.has(generation) }];
  });
}

/** Only {@link newGeneration} writes this text. */
function toSpec({ spec }: StoredGeneration): CollectionSpec {
  return JSON.parse(spec) as CollectionSpec;
}
