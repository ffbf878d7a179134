/**
 * What differs between MongoDB and FerretDB 1, which speaks its protocol over SQLite. FerretDB finds a document and
 * writes it in two steps, between which others may write: a guard in the filter holds nothing there, and costs a look at
 * every document. It also keeps a cursor open for each update of a single document until the whole command ends, so that
 * a hundred of them wait for one another for ever; an update of many ends its own.
 */
import type { AnyBulkWriteOperation, Document, UpdateFilter } from 'mongodb';
import type { StoredDocument } from './view-layout.ts';

export interface EngineKind {
  readonly name: string;
  /** Changes the document of this key if no commit from `step` on has changed it. */
  readonly changeOlder: (
    key: string,
    step: number,
    update: UpdateFilter<StoredDocument>,
  ) => AnyBulkWriteOperation<StoredDocument>;
  /** Whether `changeOlder` holds also when another process changes the document at the same moment. */
  readonly isAtomic: boolean;
  /** How many documents are written in one request: it has to be answered in time. */
  readonly sliceDocuments: number;
}

export const mongodb: EngineKind = {
  name: 'MongoDB',
  changeOlder: (key, step, update) => ({ updateOne: { filter: { _id: key, step: { $lt: step } }, update } }),
  isAtomic: true,
  sliceDocuments: 500,
};

const ferretdb: EngineKind = {
  name: 'FerretDB',
  changeOlder: (key, _step, update) => ({ updateMany: { filter: { _id: key }, update } }),
  isAtomic: false,
  sliceDocuments: 50,
};

/** @param buildInfo the answer to the command of that name */
export function engineKindOf(buildInfo: Document): EngineKind {
  const version: unknown = buildInfo['ferretdbVersion'];
  return typeof version === 'string' && version.startsWith('v1.') ? ferretdb : mongodb;
}
