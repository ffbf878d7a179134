/** What a commit changes in documents: as content, and as the operations that write it. */
import { type AnyBulkWriteOperation, BSON } from 'mongodb';
import type { ViewWrite } from '../../projections/view-store.ts';
import type { EngineKind } from './engine-kind.ts';
import { contentOf, type StoredContent, type StoredDocument, type ViewLayout } from './view-layout.ts';

export interface Change {
  readonly key: string;
  readonly position: string;
  /** Null removes the document. */
  readonly content: StoredContent | null;
}

/** What there is of a key: a document, what a removed one left, or nothing. */
export type Presence = 'there' | 'gone' | 'absent';

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

export function presenceAfter({ content }: Change, before: Presence): Presence {
  if (content !== null) return 'there';
  return before === 'absent' ? 'absent' : 'gone';
}

/** What the writer says of documents that are new: true unless it is mistaken. */
export function presenceToldBy(writes: readonly ViewWrite[]): readonly (readonly [string, Presence])[] {
  return writes.flatMap(({ key, isNew, document }) =>
    isNew === true && document !== null ? [[key, 'absent'] as const] : [],
  );
}

/** Null where there is nothing to do. */
export function operationOf(
  kind: EngineKind,
  { key, position, content }: Change,
  step: number,
  before: Presence,
): AnyBulkWriteOperation<StoredDocument> | null {
  if (content === null) {
    const unset = { json: '', fields: '', sort: '', words: '' } as const;
    const gone = { $set: { step, position, isGone: true }, $unset: unset };
    return before === 'absent' ? null : kind.changeOlder(key, step, gone);
  }
  if (before === 'absent') return { insertOne: { document: { _id: key, step, position, ...content } } };
  return kind.changeOlder(key, step, { $set: { step, position, ...content }, $unset: { isGone: '' } });
}

function checkSize({ spec }: ViewLayout, key: string, content: StoredContent): void {
  const bytes = BSON.calculateObjectSize(content);
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  throw new RangeError(`${spec.name}: ${key} has ${bytes} bytes, more than a document of MongoDB may have`);
}
