/** Reading one document of a view. */
import { LRUCache } from 'lru-cache';
import type { Projection } from '../../projections/projection.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import type { ViewStore } from '../../projections/view-store.ts';

type Named<Doc> = Pick<Projection<Doc, never>, 'name' | 'schema'>;

export async function readView<Doc>(
  views: ViewStore,
  { name }: Named<Doc>,
  key: string,
): Promise<Doc | undefined> {
  const json = await views.getJson(name, key);
  return json === undefined ? undefined : parseDocument<Doc>(json);
}

/** What is shared is changed by nobody. */
export type Shared<T> = T extends object ? { readonly [Member in keyof T]: Shared<T[Member]> } : T;

/** Every reader of the Data API has two: a key and a plan. */
const MAX_SHARED = 5_000;
/** Documents are several times larger in memory than their text, of which there is so much. */
const MAX_SHARED_CHARS = 2_000_000;
/** By their text: where it was the same, whichever view and key it stood at, the document is. */
const sharedDocuments = new LRUCache<string, object>({
  max: MAX_SHARED,
  maxSize: MAX_SHARED_CHARS,
  sizeCalculation: (_, json) => json.length,
});

/** As {@link readView}, for what nearly every request asks for: as long as its text stays the same, it is parsed once. */
export async function readShared<Doc extends object>(
  views: Pick<ViewStore, 'getJson'>,
  { name }: Named<Doc>,
  key: string,
): Promise<Shared<Doc> | undefined> {
  const json = await views.getJson(name, key);
  if (json === undefined) return undefined;
  const known = sharedDocuments.get(json);
  // Of one text there is one document, and only documents of its schema have this one.
  if (known !== undefined) return known as Shared<Doc>;
  const document = parseDocument<Doc>(json);
  sharedDocuments.set(json, document);
  return document as Shared<Doc>;
}
