/**
 * The documents of a generation, as its commits load and write them. A step changes only what neither it nor a later one
 * has changed, so that it may be applied again at any time.
 */
import type { AnyBulkWriteOperation } from 'mongodb';
import type { MongoLink } from './connection.ts';
import { type Change, operationOf, type Presence } from './document-changes.ts';
import { writeAll } from './insert-once.ts';
import type { StoredDocument, ViewLayout } from './view-layout.ts';

/** In one request. */
const LOAD_DOCUMENTS = 1_000;

export interface Loaded {
  /** The stored JSON of the keys that have a document. */
  readonly json: ReadonlyMap<string, string>;
  /** Of all keys. */
  readonly presence: ReadonlyMap<string, Presence>;
}

export type ViewDocuments = ReturnType<typeof viewDocuments>;

export function viewDocuments({ db, kind, ask, maxTimeMS }: MongoLink) {
  const collectionOf = ({ collection }: ViewLayout) => db.collection<StoredDocument>(collection);
  const find = (layout: ViewLayout, ids: readonly string[], projection: Readonly<Record<string, 1>>) =>
    ask(() => {
      const shown = { projection, batchSize: ids.length, maxTimeMS };
      return collectionOf(layout)
        .find({ _id: { $in: ids } }, shown)
        .toArray();
    });

  /** Whether each found what it was said to: then nobody else had a hand in it. */
  const apply = async (
    layout: ViewLayout,
    step: number,
    changes: readonly (readonly [Change, Presence])[],
  ): Promise<boolean> => {
    const operations: AnyBulkWriteOperation<StoredDocument>[] = [];
    for (const [change, before] of changes) {
      const operation = operationOf(kind, change, step, before);
      if (operation !== null) operations.push(operation);
    }
    if (operations.length === 0) return true;
    const written = await ask(() =>
      writeAll(() => collectionOf(layout).bulkWrite(operations, { ordered: false })),
    );
    return written.insertedCount + written.matchedCount === operations.length;
  };

  const writeSlice = async (
    layout: ViewLayout,
    step: number,
    changes: readonly Change[],
    seen: ReadonlyMap<string, Presence>,
  ): Promise<number | null> => {
    const known = changes.flatMap((change) => {
      const before = seen.get(change.key);
      return before === undefined ? [] : [[change, before] as const];
    });
    if (known.length === changes.length && (await apply(layout, step, known))) return addedBy(known);
    const ids = changes.map(({ key }) => key);
    const stored = await find(layout, ids, { step: 1, isGone: 1 });
    const held = new Map(stored.map((document) => [document._id, document]));
    const due = changes
      .filter(({ key }) => (held.get(key)?.step ?? 0) < step)
      .map((change) => [change, presenceOf(held.get(change.key))] as const);
    const isAlone = await apply(layout, step, due);
    return isAlone && due.length === changes.length ? addedBy(due) : null;
  };

  return {
    /**
     * @param seen what there is of keys, as far as that is known; it need not be true
     * @returns how many documents there are more; null if that is not known, since another process had a hand in it
     */
    async write(
      layout: ViewLayout,
      step: number,
      changes: readonly Change[],
      seen: ReadonlyMap<string, Presence>,
    ): Promise<number | null> {
      let added: number | null = 0;
      for (let at = 0; at < changes.length; at += kind.sliceDocuments) {
        const more = await writeSlice(layout, step, changes.slice(at, at + kind.sliceDocuments), seen);
        added = more === null || added === null ? null : added + more;
      }
      return added;
    },
    async load(layout: ViewLayout, keys: readonly string[]): Promise<Loaded> {
      const json = new Map<string, string>();
      const presence = new Map<string, Presence>(keys.map((key) => [key, 'absent']));
      for (let at = 0; at < keys.length; at += LOAD_DOCUMENTS) {
        const ids = keys.slice(at, at + LOAD_DOCUMENTS);
        for (const document of await find(layout, ids, { json: 1, isGone: 1 })) {
          presence.set(document._id, presenceOf(document));
          if (document.json !== undefined) json.set(document._id, document.json);
        }
      }
      return { json, presence };
    },
    async count(layout: ViewLayout): Promise<number> {
      return ask(() => collectionOf(layout).countDocuments({ isGone: { $ne: true } }, { maxTimeMS }));
    },
  };
}

function presenceOf(document: Pick<StoredDocument, 'isGone'> | undefined): Presence {
  if (document === undefined) return 'absent';
  return document.isGone === true ? 'gone' : 'there';
}

function addedBy(changes: readonly (readonly [Change, Presence])[]): number {
  return changes.reduce(
    (added, [{ content }, before]) => added + Number(content !== null) - Number(before === 'there'),
    0,
  );
}
