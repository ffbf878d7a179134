/** A list by position, read while a commit is being applied: nothing may come to stand before what was shown. */
import { expect } from 'chai';
import { connectMongo } from '../../../infra/mongodb/connection.ts';
import { changesOf } from '../../../infra/mongodb/document-changes.ts';
import { viewDocuments } from '../../../infra/mongodb/view-documents.ts';
import { viewLayout } from '../../../infra/mongodb/view-layout.ts';
import { openMongoViewStore } from '../../../infra/mongodb/view-store.ts';
import type { CollectionSpec, ViewWrite } from '../../../projections/view-store.ts';
import { newMongoDatabase, withMongo } from '../../support/mongodb-server.ts';
import { openLive } from '../../support/open-live.ts';

const spec: CollectionSpec = {
  name: 'changes',
  version: 1,
  fields: { name: 'text', position: 'text' },
  orders: {
    name: [{ field: 'name', direction: 'asc' }],
    position: [{ field: 'position', direction: 'asc' }],
  },
};

const write = (key: string, position: string): ViewWrite => ({
  key,
  position,
  document: { json: `"${key} ${position}"`, fields: { name: key, position }, words: null },
});

withMongo('A list by position in MongoDB', () => {
  it('ends before a commit of which only some documents are there', async () => {
    const { url, close } = await newMongoDatabase();
    const store = await openMongoViewStore({ url });
    await openLive(store, [spec]);
    const [{ generation } = { generation: 0 }] = await store.status();
    const first = { view: spec.name, generation, from: null, to: '2' };
    await store.commit([{ ...first, writes: [write('a', '1'), write('b', '2')] }]);

    const link = await connectMongo({ url });
    const layout = viewLayout(generation, spec);
    const [{ step } = { step: 0 }] = await link.db
      .collection<{ step: number }>(layout.collection)
      .find()
      .toArray();
    // The writer of the next commit has come to the later of its two positions, and not to the earlier.
    await viewDocuments(link).write(layout, step + 1, changesOf(layout, [write('a', '4')]), new Map());

    const listed = async (order: string) =>
      (await store.page(spec.name, { filter: {}, order, limit: 10 })).rows;
    expect(await listed('position')).to.deep.equal(['"b 2"']);
    expect(await listed('name')).to.deep.equal(['"a 4"', '"b 2"']);
    await link.close();
    await store.close();
    await close();
  });
});
