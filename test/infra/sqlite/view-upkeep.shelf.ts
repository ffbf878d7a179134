import type { CollectionSpec, ViewStore } from '../../../projections/view-store.ts';
import { wordBands } from '../../../projections/words.ts';

export const shelf: CollectionSpec = {
  name: 'shelf',
  version: 1,
  fields: { pages: 'integer', colour: 'text', tags: 'texts' },
  orders: { byPages: [{ field: 'pages', direction: 'desc' }], byKey: [] },
  searchable: true,
};
/** More than the event loop looks at in one step, and than are listed in one. */
export const MANY = 3_000;

/** A generation with so many documents that is not readable yet; of two documents each second one is as searched for. */
export async function fillShelf(store: ViewStore, count: number): Promise<number> {
  const { generation } = await store.beginGeneration(shelf);
  const writes = Array.from({ length: count }, (_, i) => {
    const fields = { pages: i, colour: i % 2 === 0 ? 'red' : 'blue', tags: [i % 2 === 0 ? 'old' : 'new'] };
    const words = wordBands([i % 2 === 0 ? 'ancient' : 'modern']);
    return { key: `book ${i}`, position: '1', document: { json: JSON.stringify(fields), fields, words } };
  });
  await store.commit([{ view: 'shelf', generation, from: null, to: '1', writes }]);
  return generation;
}
