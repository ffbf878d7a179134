/**
 * The documents of a generation, as its commits load and write them. A step changes only what neither it nor a later one
 * has changed, so that it may be applied again at any time.
 */
import { type AnyBulkWriteOperation, BSON } from 'mongodb';
import type { ViewWrite } from '../../projections/view-store.ts';
import type { MongoLink } from './connection.ts';
import { takenPlaces } from './insert-once.ts';
import { contentOf, type StoredContent, type StoredDocument, type ViewLayout } from './view-layout.ts';

export interface Change {
  readonly key: string;
  readonly position: string;
  /** Null removes the document. */
  readonly content: StoredContent | null;
}

/** In one request. */
const LOAD_DOCUMENTS = 1_000;
/** Documents so long are measured before they are written. */
const LONG_CHARS = 1_000_000;
const MAX_DOCUMENT_BYTES = 15 * 1024 * 1024;

/** @throws {RangeError} a document is too large for MongoDB */
export function changesOf(layout: ViewLayout, writes: readonly ViewWrite[]): readonly Change[] {
  return writes.map(({ key, position, document }) => {
    const content = document === null ? null : contentOf(layout, key, document);
    if (content !== null && content.json.length > LONG_CHARS) checkSize(layout, key, content);
    return { key, position, content };
  });
}

export type ViewDocuments = ReturnType<typeof viewDocuments>;

export function viewDocuments({ db, kind, ask, maxTimeMS }: MongoLink) {
  const writeSlice = async (
    { collection: name }: ViewLayout,
    step: number,
    changes: readonly Change[],
  ): Promise<number | null> => {
    const collection = db.collection<StoredDocument>(name);
    const ids = changes.map(({ key }) => key);
    const stored = await ask(() =>
      collection
        .find({ _id: { $in: ids } }, { projection: { step: 1, isGone: 1 }, batchSize: ids.length, maxTimeMS })
        .toArray(),
    );
    const held = new Map(stored.map((document) => [document._id, document]));
    const isShared = stored.some((document) => document.step >= step);
    let added = 0;
    const operations: AnyBulkWriteOperation<StoredDocument>[] = [];
    for (const change of changes) {
      const before = held.get(change.key);
      if (before !== undefined && before.step >= step) continue;
      const operation = operationOf(change, step, before);
      if (operation !== null) operations.push(operation);
      added += Number(change.content !== null) - Number(before !== undefined && before.isGone !== true);
    }
    if (operations.length > 0) {
      // Whoever does the same step may have inserted the same documents meanwhile.
      await ask(() => takenPlaces(() => collection.bulkWrite(operations, { ordered: false })));
    }
    return isShared ? null : added;
  };

  const operationOf = (
    { key, position, content }: Change,
    step: number,
    before: StoredDocument | undefined,
  ): AnyBulkWriteOperation<StoredDocument> | null => {
    if (content === null) {
      const unset = { json: '', fields: '', sort: '', words: '' } as const;
      const gone = { $set: { step, position, isGone: true }, $unset: unset };
      return before === undefined ? null : kind.changeOlder(key, step, gone);
    }
    if (before === undefined) return { insertOne: { document: { _id: key, step, position, ...content } } };
    return kind.changeOlder(key, step, { $set: { step, position, ...content }, $unset: { isGone: '' } });
  };

  return {
    /** Answers with how many documents there are more; null if another process had a hand in it. */
    async write(layout: ViewLayout, step: number, changes: readonly Change[]): Promise<number | null> {
      let added: number | null = 0;
      for (let at = 0; at < changes.length; at += kind.sliceDocuments) {
        const more = await writeSlice(layout, step, changes.slice(at, at + kind.sliceDocuments));
        added = more === null || added === null ? null : added + more;
      }
      return added;
    },
    /** The stored JSON of these keys; nothing for those that there are not. */
    async load(
      { collection: name }: ViewLayout,
      keys: readonly string[],
    ): Promise<ReadonlyMap<string, string>> {
      const collection = db.collection<StoredDocument>(name);
      const loaded = new Map<string, string>();
      for (let at = 0; at < keys.length; at += LOAD_DOCUMENTS) {
        const ids = keys.slice(at, at + LOAD_DOCUMENTS);
        const some = { projection: { json: 1 }, batchSize: ids.length, maxTimeMS };
        const found = await ask(() => collection.find({ _id: { $in: ids } }, some).toArray());
        for (const { _id, json } of found) if (json !== undefined) loaded.set(_id, json);
      }
      return loaded;
    },
    async count({ collection }: ViewLayout): Promise<number> {
      const documents = db.collection<StoredDocument>(collection);
      return ask(() => documents.countDocuments({ isGone: { $ne: true } }, { maxTimeMS }));
    },
  };
}

function checkSize({ spec }: ViewLayout, key: string, content: StoredContent): void {
  const bytes = BSON.calculateObjectSize(content);
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  throw new RangeError(`${spec.name}: ${key} has ${bytes} bytes, more than a document of MongoDB may have`);
}
