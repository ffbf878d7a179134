/** The collection that the contract's tests put books into, on a fresh engine for each of them. */
import { expect } from 'chai';
import { RELEVANCE } from '../../projections/page-query.ts';
import type {
  CollectionSpec,
  GenerationStatus,
  PageQuery,
  ViewStore,
  ViewWrite,
} from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';
import { openLive } from '../support/open-live.ts';
import { rejectionOf } from '../support/rejection.ts';
import type { ViewStoreEngine } from './view-store.contract.ts';

export const shelf: CollectionSpec = {
  name: 'shelf',
  version: 1,
  fields: { kind: 'text', pages: 'integer', tags: 'texts' },
  orders: {
    byPages: [{ field: 'pages', direction: 'desc' }],
    byKind: [
      { field: 'kind', direction: 'asc' },
      { field: 'pages', direction: 'desc' },
    ],
    [RELEVANCE]: [],
  },
  searchable: true,
};

export interface Book {
  readonly kind?: string | null;
  readonly pages?: number | null;
  readonly tags?: readonly string[];
  readonly title?: string;
  readonly subtitle?: string;
  readonly blurb?: string;
}

export function put(
  key: string,
  { kind = null, pages = null, tags = [], title = '', subtitle = '', blurb = '' }: Book = {},
): ViewWrite {
  const json = JSON.stringify({ key, kind, pages, title });
  return {
    key,
    position: '1',
    document: { json, fields: { kind, pages, tags }, words: wordBands([title, subtitle, blurb]) },
  };
}

export function remove(key: string): ViewWrite {
  return { key, position: '1', document: null };
}

export interface Shelf {
  readonly store: () => ViewStore;
  /** As another process would. */
  readonly connect: () => Promise<ViewStore>;
  /** The live generation; an empty one where there was none. */
  readonly opened: (spec?: CollectionSpec, on?: ViewStore) => Promise<GenerationStatus>;
  /** Commits to the live generation; answers with where it stands then. */
  readonly fill: (writes: readonly ViewWrite[], spec?: CollectionSpec) => Promise<GenerationStatus>;
  readonly keysOf: (query: Partial<PageQuery>, on?: ViewStore) => Promise<string[]>;
}

/** To be called where tests are described: each of them gets an engine of its own. */
export function shelfOn(start: () => Promise<ViewStoreEngine>): Shelf {
  let engine: ViewStoreEngine;
  let store: ViewStore;
  beforeEach(async () => {
    engine = await start();
    store = await engine.connect();
  });
  afterEach(async () => {
    await store.close();
    await engine.dispose();
  });
  const opened: Shelf['opened'] = async (spec = shelf, on = store) => {
    const status = (await openLive(on, [spec])).find((one) => one.view === spec.name && one.live);
    if (status === undefined) throw new Error('no live generation');
    return status;
  };
  return {
    store: () => store,
    connect: () => engine.connect(),
    opened,
    async fill(writes, spec = shelf) {
      const { generation, checkpoint } = await opened(spec);
      const to = String(Number(checkpoint ?? 0) + 1);
      const commit = { view: spec.name, generation, from: checkpoint, to, writes };
      expect(await store.commit([commit])).to.deep.equal([]);
      return opened(spec);
    },
    async keysOf(query, on = store) {
      const { rows } = await on.page('shelf', { filter: {}, order: 'byPages', limit: 100, ...query });
      return rows.map((row) => JSON.parse(row).key);
    },
  };
}

export async function rejects(
  promise: Promise<unknown>,
  type: new (message: string) => Error,
  what = '',
): Promise<void> {
  expect(await rejectionOf(promise), what).to.be.instanceOf(type);
}
