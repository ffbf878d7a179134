/** The promise of cursors: whatever is written meanwhile, a walk meets every row that stayed, once. */
import { expect } from 'chai';
import fc from 'fast-check';
import type {
  CollectionSpec,
  Keyset,
  OrderTerm,
  ViewStore,
  ViewWrite,
} from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';
import { openLive } from '../support/open-live.ts';

const score: OrderTerm = { field: 'score', direction: 'desc' };
const name: OrderTerm = { field: 'name', direction: 'asc' };
const spec: Omit<CollectionSpec, 'name'> = {
  version: 1,
  fields: { score: 'integer', name: 'text' },
  orders: {
    score: [score],
    name: [name],
    nameDown: [{ ...name, direction: 'desc' }],
    both: [score, name],
    relevance: [name],
  },
  searchable: true,
};

const STAYING = 40;
const values = fc.record({
  score: fc.option(fc.integer({ min: 0, max: 2 })),
  name: fc.option(fc.constantFrom('a', 'b')),
  band: fc.integer({ min: 0, max: 2 }),
});
type Values = typeof values extends fc.Arbitrary<infer V> ? V : never;

/** What happens between two pages: passers-by come, change and go; those who stay change nothing but their text. */
const happening = fc.oneof(
  fc.record({ key: fc.integer({ min: 0, max: 30 }).map((i) => `passing ${i}`), values: fc.option(values) }),
  fc.record({
    key: fc.integer({ min: 0, max: STAYING - 1 }).map((i) => `staying ${i}`),
    values: fc.constant(undefined),
  }),
);

export function walksEveryRowOnce(store: () => ViewStore, numRuns: number): void {
  it('visit every row that stayed exactly once, whatever is written meanwhile', async function () {
    this.timeout(120_000);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: STAYING, maxLength: STAYING }),
        fc.array(fc.uniqueArray(happening, { maxLength: 8, selector: (one) => one.key }), {
          minLength: 1,
          maxLength: 10,
        }),
        fc.constantFrom(...Object.keys(spec.orders)),
        fc.integer({ min: 1, max: 9 }),
        async (stayers, happenings, order, limit) => {
          run += 1;
          const view = `walk${run}`;
          const writer = await writerOf(store(), { ...spec, name: view });
          await writer(stayers.map((one, i) => put(`staying ${i}`, one, 0)));
          const seen: string[] = [];
          let after: Keyset | null = null;
          let pages = 0;
          do {
            const page = await store().page(view, {
              filter: {},
              order,
              limit,
              words: ['word'],
              ...(after === null ? {} : { after }),
            });
            seen.push(...page.rows.map((row) => JSON.parse(row).key));
            after = page.next;
            pages += 1;
            const between = happenings[pages % happenings.length] ?? [];
            await writer(between.map((one) => happened(one, stayers, pages)));
          } while (after !== null && pages < 1_000);
          const stayed = seen.filter((one) => one.startsWith('staying')).sort();
          expect(stayed).to.deep.equal(stayers.map((_, i) => `staying ${i}`).sort());
        },
      ),
      { numRuns },
    );
  });
}

function happened(
  one: { readonly key: string; readonly values: Values | null | undefined },
  stayers: readonly Values[],
  pages: number,
): ViewWrite {
  if (one.values === null) return { key: one.key, position: '1', document: null };
  return put(one.key, one.values ?? stayers[Number(one.key.split(' ')[1])]!, pages);
}

function put(key: string, { band, ...fields }: Values, revision: number): ViewWrite {
  const texts = [0, 1, 2].map((i) => (i === band ? 'words' : ''));
  return {
    key,
    position: '1',
    document: { json: JSON.stringify({ key, revision }), fields, words: wordBands(texts) },
  };
}

async function writerOf(store: ViewStore, opened: CollectionSpec) {
  const { generation } = (await openLive(store, [opened])).find((one) => one.view === opened.name)!;
  let checkpoint: string | null = null;
  return async (writes: readonly ViewWrite[]): Promise<void> => {
    const from = checkpoint;
    checkpoint = String(Number(from ?? 0) + 1);
    expect(
      await store.commit([{ view: opened.name, generation, from, to: checkpoint, writes }]),
    ).to.deep.equal([]);
  };
}
