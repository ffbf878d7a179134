/**
 * The documents that a view is working on: each is loaded once, changed by many events in memory, written once, and
 * kept for the events to come. All that is kept is what the store holds at the checkpoint, or will when the changes
 * are committed from there: whoever loses that race throws the buffer away.
 */
import { parseDocument } from '../../projections/stored-document.ts';
import { checkDocument } from '../../projections/page-query.ts';
import type { AnyProjection } from '../../projections/projection.ts';
import type { IndexedDocument, ViewWrite, WordBands } from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';

interface Draft {
  /** Whether the store holds it; null for one that is created, which nobody looked for. */
  isStored: boolean | null;
  document: unknown;
  /** The document as it is written, where that was made already. */
  json: string | null;
  /** The event that changed it last; null when the store knows of all changes. */
  changedAt: string | null;
  /** How long its JSON is or was. */
  chars: number;
  search: { readonly texts: readonly string[]; readonly words: WordBands } | null;
}

export interface DocumentBuffer {
  /** Whether the document is at hand; else it must be loaded and put first. */
  readonly holds: (key: string) => boolean;
  readonly put: (keys: Iterable<string>, stored: ReadonlyMap<string, string>) => void;
  /** The documents are created by what is to come: they are put without being loaded. */
  readonly create: (keys: Iterable<string>) => void;
  readonly document: (key: string) => unknown;
  readonly change: (key: string, document: unknown, position: string) => void;
  readonly changed: () => { readonly documents: number; readonly chars: number };
  /**
   * What there is to write.
   * @throws what the projection throws, or {RangeError} when it says of a document what its spec does not allow
   */
  readonly writes: () => readonly ViewWrite[];
  /** The writes are committed: forgets the documents that were not used for longest, beyond these limits. */
  readonly settle: (writes: readonly ViewWrite[], keep: { documents: number; chars: number }) => void;
}

export function createDocumentBuffer(view: AnyProjection): DocumentBuffer {
  const drafts = new Map<string, Draft>();
  const changedKeys = new Set<string>();
  let chars = 0;
  let changedChars = 0;

  const find = (key: string): Draft => {
    const draft = drafts.get(key);
    if (draft === undefined) throw new Error(`${view.name}: ${key} was not loaded`);
    return draft;
  };
  const weigh = (draft: Draft, now: number): void => {
    chars += now - draft.chars;
    draft.chars = now;
  };
  const forget = (key: string, draft: Draft): void => {
    chars -= draft.chars;
    drafts.delete(key);
  };

  return {
    holds: (key) => drafts.has(key),
    put(keys, stored) {
      for (const key of keys) {
        const json = stored.get(key);
        const document = json === undefined ? undefined : parseDocument<unknown>(json);
        const draft = newDraft(json !== undefined, document);
        weigh(draft, json?.length ?? 0);
        drafts.set(key, draft);
      }
    },
    create(keys) {
      for (const key of keys) drafts.set(key, newDraft(null, undefined));
    },
    document: (key) => find(key).document,
    change(key, document, position) {
      const draft = find(key);
      if (document === draft.document) return;
      draft.document = document;
      draft.json = null;
      if (draft.changedAt === null) {
        if (draft.chars === 0 && document !== undefined) {
          draft.json = JSON.stringify(document);
          weigh(draft, draft.json.length);
        }
        changedKeys.add(key);
        changedChars += draft.chars;
      }
      draft.changedAt = position;
    },
    changed: () => ({ documents: changedKeys.size, chars: changedChars }),
    writes() {
      const writes: ViewWrite[] = [];
      for (const key of changedKeys) {
        const write = writeOf(view, key, find(key));
        if (write !== null) writes.push(write);
      }
      return writes;
    },
    settle(writes, keep) {
      for (const { key, document } of writes) {
        const draft = find(key);
        draft.isStored = document !== null;
        draft.json = null;
        weigh(draft, document?.json.length ?? 0);
      }
      for (const key of changedKeys) {
        const draft = find(key);
        draft.changedAt = null;
        // Used last, forgotten last.
        drafts.delete(key);
        drafts.set(key, draft);
      }
      changedKeys.clear();
      changedChars = 0;
      for (const [key, draft] of drafts) {
        if (drafts.size <= keep.documents && chars <= keep.chars) break;
        forget(key, draft);
      }
    },
  };
}

function newDraft(isStored: boolean | null, document: unknown): Draft {
  return { isStored, document, json: null, changedAt: null, chars: 0, search: null };
}

/** What would be stored for this document. @throws what {@link DocumentBuffer.writes} throws */
export function indexedDocument(
  view: AnyProjection,
  document: unknown,
  words: WordBands | null,
  json = JSON.stringify(document),
): IndexedDocument {
  const indexed = { json, fields: view.index(document), words };
  checkDocument(view, indexed);
  return indexed;
}

/** Null for what came and went unseen. */
function writeOf(view: AnyProjection, key: string, draft: Draft): ViewWrite | null {
  const { isStored, document, changedAt, json } = draft;
  const position = changedAt ?? '';
  if (document === undefined) return isStored === false ? null : { key, position, document: null };
  const indexed = indexedDocument(view, document, wordsOf(view, draft), json ?? undefined);
  return { key, position, isNew: isStored !== true, document: indexed };
}

/** Most changes leave the texts as they were: their words are worked out again only when they differ. */
function wordsOf(view: AnyProjection, draft: Draft): WordBands | null {
  if (view.words === undefined) return null;
  const texts = view.words(draft.document);
  const { search } = draft;
  if (search?.texts.length === texts.length && texts.every((text, i) => text === search.texts[i])) {
    return search.words;
  }
  const words = wordBands(texts);
  draft.search = { texts, words };
  return words;
}
