/** Sort keys stand for places: they compare, as bytes, as the places do. */
import { expect } from 'chai';
import fc from 'fast-check';
import { sortKey } from '../../../infra/mongodb/sort-key.ts';
import type { Keyset, OrderTerm } from '../../../projections/view-store.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', '\u0000', '\u0000\u0001', '\u0001', 'a', 'a\u0000', 'ab', '～', '😀', '~'),
);
const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);
const direction = fc.constantFrom('asc' as const, 'desc' as const);

/** Terms with two places in their order. */
const compared = fc
  .array(fc.tuple(direction, fc.constantFrom(text, integer)), { maxLength: 3 })
  .chain((terms) => {
    const place = fc.tuple(
      ...terms.map(([, values]) => fc.option(values as fc.Arbitrary<string | number>)),
      text,
    );
    return fc.record({
      terms: fc.constant(terms.map(([towards]): OrderTerm => ({ field: 'any', direction: towards }))),
      one: place,
      other: place,
      shared: fc.nat({ max: terms.length }),
    });
  })
  // Most places would differ in their first value.
  .map(({ terms, one, other, shared }) => ({
    terms,
    one,
    other: [...one.slice(0, shared), ...other.slice(shared)],
  }));

describe('MongoDB sort keys', () => {
  it('compare as the places do that they stand for', () => {
    fc.assert(
      fc.property(compared, ({ terms, one, other }) => {
        const keys = Buffer.compare(Buffer.from(sortKey(terms, one)), Buffer.from(sortKey(terms, other)));
        expect(keys).to.equal(Math.sign(comparePlaces(terms, one, other)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('are never empty, so that all of them come after nothing', () => {
    expect(sortKey([], [''])).not.to.equal('');
  });
});

/** As projections/view-store.ts defines it. */
function comparePlaces(terms: readonly OrderTerm[], one: Keyset, other: Keyset): number {
  for (let i = 0; i <= terms.length; i++) {
    const [a = null, b = null] = [one[i], other[i]];
    const sign = terms[i]?.direction === 'desc' ? -1 : 1;
    if (a === null || b === null) {
      if (a !== b) return a === null ? 1 : -1;
      continue;
    }
    const order =
      typeof a === 'string'
        ? Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
        : a < Number(b)
          ? -1
          : Number(a > Number(b));
    if (order !== 0) return sign * order;
  }
  return 0;
}
