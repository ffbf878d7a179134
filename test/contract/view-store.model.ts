/** Compares an adapter with the memory store over random documents, filters, orders and limits. */
import { expect } from 'chai';
import fc from 'fast-check';
import { memoryViewStore } from './memory/view-store.ts';
import type {
  CollectionSpec,
  Keyset,
  PageQuery,
  ViewStore,
  ViewWrite,
} from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';
import { openLive } from '../support/open-live.ts';

const orders: CollectionSpec['orders'] = {
  byKey: [],
  '-score': [{ field: 'score', direction: 'desc' }],
  scoreUp: [{ field: 'score', direction: 'asc' }],
  nameUp: [{ field: 'name', direction: 'asc' }],
  nameDown: [{ field: 'name', direction: 'desc' }],
  mixed: [
    { field: 'name', direction: 'desc' },
    { field: 'score', direction: 'asc' },
  ],
  three: [
    { field: 'group', direction: 'asc' },
    { field: 'score', direction: 'desc' },
    { field: 'name', direction: 'asc' },
  ],
  relevance: [{ field: 'score', direction: 'desc' }],
};
const fields: CollectionSpec['fields'] = {
  group: 'text',
  name: 'text',
  score: 'integer',
  tags: 'texts',
  marks: 'texts',
};
const FIRST_ORDERS = ['byKey', 'mixed', 'relevance'] as const;

const key = fc.constantFrom(...Array.from({ length: 60 }, (_, i) => `k${i}`));
const group = fc.constantFrom('x', 'y', 'z');
const name = fc.oneof(group, fc.constantFrom('', '～', '😀', 'é', '\u0000', 'A'));
const score = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);
const tag = fc.constantFrom('t', 'tt', 'u', '\u001f', '\u001e0', 't\u001fu', '');
const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'éa', '日本', '1', '1a', '2');
const text = fc.array(word, { maxLength: 3 }).map((words) => words.join(' '));

const document = fc
  .record({
    group: fc.option(group),
    name: fc.option(name),
    score: fc.option(score),
    tags: fc.oneof(fc.array(tag, { maxLength: 3 }), fc.constant(null)),
    marks: fc.array(tag, { maxLength: 1 }),
    texts: fc.tuple(text, text, text),
  })
  .map(({ texts, ...values }) => ({
    fields: values,
    words: wordBands(texts),
    json: JSON.stringify({ values, texts }),
  }));
const write = fc.record({
  key,
  // A help that may be wrong.
  isNew: fc.boolean(),
  document: fc.oneof({ weight: 4, arbitrary: document }, { weight: 1, arbitrary: fc.constant(null) }),
});
const batch = fc.uniqueArray(write, { maxLength: 50, selector: (one) => one.key });

const bound = fc.integer({ min: -3, max: 3 });
const range = fc.record({ min: bound, max: bound }, { requiredKeys: [] });
const conditions = { group, name, score: fc.oneof(score, range), tags: tag, marks: tag };
/** Mostly one or two conditions: more of them match nothing. */
const filter = fc.oneof(
  ...Object.entries(conditions).map(([field, one]) => one.map((condition) => ({ [field]: condition }))),
  fc.record({ group, tags: tag }),
  fc.record({ score: range, marks: tag }),
  fc.record(conditions, { requiredKeys: [] }),
);
const question = fc.record({
  filter: fc.oneof(fc.constant({}), filter),
  order: fc.constantFrom(...Object.keys(orders)),
  limit: fc.integer({ min: 1, max: 12 }),
  maxBytes: fc.option(fc.integer({ min: 1, max: 1_500 }), { nil: undefined }),
  words: fc.option(fc.array(word, { minLength: 1, maxLength: 3 }), { nil: undefined }),
});
type Question = typeof question extends fc.Arbitrary<infer Asked> ? Asked : never;

export function pagesLikeTheModel(store: () => ViewStore, numRuns: number): void {
  it('are those of the model, whatever the documents and the question', async function () {
    this.timeout(120_000);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { minLength: 1, maxLength: 4 }),
        fc.array(question, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(...FIRST_ORDERS),
        async (batches, questions, first) => {
          run += 1;
          const spec = specNamed(`model${run}`, first);
          const stores = [memoryViewStore(), store()] as const;
          for (const one of stores) await openLive(one, [spec]);
          for (const [i, writes] of batches.entries()) {
            for (const one of stores) await commit(one, spec.name, i, writes);
            for (const query of questions) await samePages(stores, spec.name, query);
          }
        },
      ),
      { numRuns },
    );
  });
}

/** The first order decides how an engine lays out its indexes, so each kind of order gets its turn. */
function specNamed(view: string, first: (typeof FIRST_ORDERS)[number]): CollectionSpec {
  return {
    name: view,
    version: 1,
    fields,
    orders: { [first]: orders[first] ?? [], ...orders },
    searchable: true,
  };
}

async function commit(
  store: ViewStore,
  view: string,
  i: number,
  batched: readonly Omit<ViewWrite, 'position'>[],
) {
  const { generation } = (await store.status()).find((one) => one.view === view)!;
  const writes = batched.map((one) => ({ ...one, position: String(i) }));
  const from = i === 0 ? null : String(i - 1);
  expect(await store.commit([{ view, generation, from, to: String(i), writes }])).to.deep.equal([]);
}

async function samePages(
  [model, real]: readonly [ViewStore, ViewStore],
  view: string,
  { words, maxBytes, ...query }: Question,
): Promise<void> {
  if (query.order === 'relevance' && words === undefined) return;
  const asked: PageQuery = {
    ...query,
    ...(words === undefined ? {} : { words }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
  let after: Keyset | null = null;
  do {
    const paged: PageQuery = after === null ? asked : { ...asked, after };
    const expected = await model.page(view, paged);
    expect(await real.page(view, paged), JSON.stringify(paged)).to.deep.equal(expected);
    after = expected.next;
  } while (after !== null);
}
