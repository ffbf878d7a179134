/**
 * Rows that bear no id, and among them twins: of one address, or of none, and one name. Whatever an import adds, drops,
 * says otherwise or puts elsewhere, each row has the id that it had. What cannot be known is left out: whether the row
 * with the short id is gone and another one has come, or it has another category now.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { eventsOf, importAll, market, type Market, reportOf, type Row } from './importing.ts';

const RUNS = Number(process.env['BOURSE_MADE_IDS'] ?? 60);

const rowOf = ({ url = null, name, source = null, category = null }: Row): string =>
  JSON.stringify([url, name, source, category]);
const twinsOf = ({ url = null, name }: Row): string => JSON.stringify([url, name]);

const row = fc.record(
  {
    name: fc.constantFrom('Lens', 'Pen', 'Ink'),
    url: fc.constantFrom('https://a.example/', 'https://b.example/'),
    source: fc.constantFrom('list one', 'list two'),
    category: fc.constantFrom('Finance', 'Law', 'Writing'),
  },
  { requiredKeys: ['name'] },
);
const rows = fc.uniqueArray(row, { selector: rowOf, minLength: 1, maxLength: 12 });
const step = fc.record({
  drops: fc.array(fc.nat(20), { maxLength: 4 }),
  adds: rows,
  order: fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
  says: fc.constantFrom('what it said', 'something else'),
});

interface Step {
  readonly drops: readonly number[];
  readonly adds: readonly Row[];
  readonly order: readonly number[];
  readonly says: string;
}

const AT_FIRST: Step = { drops: [], adds: [], order: [0], says: 'at first' };

/** Of each row that the log knows. */
async function idsIn(services: Market): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { data } of await eventsOf(services)) {
    // Only what lists rows has rows.
    const { rows: listed = [] } = data as { rows?: readonly { id: string; fields: Row }[] };
    for (const { id, fields } of listed) ids.set(rowOf(fields), id);
  }
  return ids;
}

describe('Made ids', () => {
  it('stay the same over imports that drop, add, change and reorder rows', async function () {
    this.timeout(60_000 + RUNS * 1_000);
    const history = fc.array(step, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, history, async (first, steps) => {
        const services = market();
        const told = new Map<string, string>();
        const shortIdOf = new Map<string, string>();
        let present: readonly Row[] = first;
        for (const { drops, adds, order, says } of [AT_FIRST, ...steps]) {
          const kept = present.filter((_, index) => !drops.includes(index));
          const isThere = new Set(kept.map(rowOf));
          const isKnown = (one: Row): boolean => {
            const holder = shortIdOf.get(twinsOf(one));
            return holder === undefined || isThere.has(holder) || told.has(rowOf(one));
          };
          present = [...kept, ...adds.filter((one) => !isThere.has(rowOf(one)) && isKnown(one))]
            .map((one, index) => [one, order[index % order.length] ?? 0] as const)
            .toSorted(([, a], [, b]) => a - b)
            .map(([one]) => one);
          if (present.length === 0) continue;
          const file = present.map((one) => ({ ...one, description: says }));
          const report = await reportOf(importAll(services, file, { isComplete: true, mayRetireMany: true }));
          const ids = await idsIn(services);
          const idOf = (one: Row): string => ids.get(rowOf(one)) ?? 'none';

          expect(report.refused).to.deep.equal([]);
          expect(new Set(file.map(idOf)).size, 'each has one of its own').to.equal(file.length);
          for (const one of file) {
            expect(idOf(one), rowOf(one)).to.equal(told.get(rowOf(one)) ?? idOf(one));
            told.set(rowOf(one), idOf(one));
            if (!shortIdOf.has(twinsOf(one))) shortIdOf.set(twinsOf(one), rowOf(one));
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});
