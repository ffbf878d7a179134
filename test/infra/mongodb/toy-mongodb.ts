/**
 * As much of MongoDB as a commit needs, in memory: each document changes atomically and nothing else does. Before every
 * single change or look it waits for its turn, so that a test can let several processes run in any order there is.
 * The real server is not at hand in tests, and FerretDB is not atomic; this shows what the commits make of one that is.
 */
import { isDeepStrictEqual } from 'node:util';
import { type BulkWriteResult, type Db, type Document, MongoBulkWriteError } from 'mongodb';
import type { MongoLink } from '../../../infra/mongodb/connection.ts';
import { mongodb } from '../../../infra/mongodb/engine-kind.ts';

type Stored = Map<unknown, Document>;
export type ToyData = Map<string, Stored>;

/** @param turn waits until this process may do the next thing; it may throw, and then the process is dead */
export function toyLink(data: ToyData, turn: (what: string) => Promise<void>): MongoLink {
  const collection = (name: string) => toyCollection(name, data, turn);
  const db = {
    collection,
    dropCollection: async (name: string) => data.delete(name),
    listCollections: () => ({ toArray: async () => [...data.keys()].map((name) => ({ name })) }),
  };
  return {
    // What a commit asks of a database, and no more.
    db: db as unknown as Db,
    kind: mongodb,
    maxTimeMS: 1_000,
    ask: (call) => call(),
    askPatiently: (call) => call(db as unknown as Db),
    close: async () => {},
  };
}

class Duplicate extends Error {
  readonly code = 11_000;
}

function toyCollection(name: string, data: ToyData, turn: (what: string) => Promise<void>) {
  const all = (): Stored => data.get(name) ?? data.set(name, new Map()).get(name)!;
  const matching = (filter: Document): Document[] =>
    [...all().values()].filter((one) => matches(one, filter));
  /** What a write did. */
  interface Done {
    readonly insertedCount: number;
    readonly matchedCount: number;
  }
  const insertOne = async (document: Document): Promise<Done> => {
    await turn(`insert ${name} ${document['_id']}`);
    if (all().has(document['_id'])) throw new Duplicate();
    all().set(document['_id'], structuredClone(document));
    return { insertedCount: 1, matchedCount: 0 };
  };
  const updateOne = async (filter: Document, { $set = {}, $unset = {} }: Document): Promise<Done> => {
    await turn(`update ${name} ${JSON.stringify(filter)}`);
    const found = matching(filter).slice(0, 1);
    for (const document of found) {
      Object.assign(document, structuredClone($set));
      for (const field of Object.keys($unset)) delete document[field];
    }
    return { insertedCount: 0, matchedCount: found.length };
  };
  const deleteMany = async (filter: Document): Promise<Done> => {
    await turn(`delete ${name} ${JSON.stringify(filter)}`);
    for (const document of matching(filter)) all().delete(document['_id']);
    return { insertedCount: 0, matchedCount: 0 };
  };
  const find = (filter: Document) => ({
    async toArray() {
      await turn(`find ${name} ${JSON.stringify(filter)}`);
      return matching(filter)
        .map((one) => structuredClone(one))
        .sort(byId);
    },
  });
  const unordered = async (writes: readonly (() => Promise<Done>)[]): Promise<Done> => {
    const refused = new Set<number>();
    let [insertedCount, matchedCount] = [0, 0];
    for (const [i, write] of writes.entries()) {
      try {
        const done = await write();
        insertedCount += done.insertedCount;
        matchedCount += done.matchedCount;
      } catch (error) {
        if (!(error instanceof Duplicate)) throw error;
        refused.add(i);
      }
    }
    if (refused.size > 0) throw bulkError(refused, { insertedCount, matchedCount });
    return { insertedCount, matchedCount };
  };
  return {
    insertOne,
    updateOne,
    deleteMany,
    find,
    insertMany: (documents: readonly Document[]) => unordered(documents.map((one) => () => insertOne(one))),
    bulkWrite: (operations: readonly Document[]) =>
      unordered(
        operations.map((one) => () => {
          if (one['insertOne']) return insertOne(one['insertOne'].document);
          if (one['deleteMany']) return deleteMany(one['deleteMany'].filter);
          const { filter, update } = one['updateOne'] ?? one['updateMany'];
          return updateOne(filter, update);
        }),
      ),
    async findOne(filter: Document, { sort }: Document = {}) {
      const found = await find(filter).toArray();
      return (sort === undefined ? found[0] : found.at(-1)) ?? null;
    },
    countDocuments: async (filter: Document) => (await find(filter).toArray()).length,
    createIndexes: async () => {},
  };
}

function bulkError(places: ReadonlySet<number>, done: object): MongoBulkWriteError {
  const errors = [...places].map((index) => ({ index, code: 11_000 }));
  // What we read of it, and no more.
  const result = { ...done, getWriteErrors: () => errors, getWriteConcernError: () => undefined } as unknown;
  return new MongoBulkWriteError({ message: 'duplicates', code: 11_000 }, result as BulkWriteResult);
}

function matches(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([field, condition]) => {
    if (field === '$or') return condition.some((one: Document) => matches(document, one));
    if (field === '$and') return condition.every((one: Document) => matches(document, one));
    return meets(document[field], condition);
  });
}

function meets(value: unknown, condition: unknown): boolean {
  if (!(condition instanceof Object)) return isDeepStrictEqual(value, condition);
  return Object.entries(condition).every(([operator, operand]) => {
    switch (operator) {
      case '$in':
        return operand.includes(value);
      case '$ne':
        return value !== operand;
      case '$exists':
        return (value !== undefined) === operand;
      case '$lt':
        return typeof value === typeof operand && (value as string) < operand;
      case '$gte':
        return typeof value === typeof operand && (value as string) >= operand;
      default:
        throw new Error(`the toy knows no ${operator}`);
    }
  });
}

/** Numbers before texts. */
function byId(a: Document, b: Document): number {
  const [one, other] = [a['_id'], b['_id']];
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
  return one < other ? -1 : 1;
}
