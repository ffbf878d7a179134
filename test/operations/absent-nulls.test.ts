import { expect } from 'chai';
import { z } from 'zod';
import { absentNulls } from '../../src/calling/absent-nulls.ts';

const schema = z.strictObject({
  needed: z.string(),
  optional: z.string().optional(),
  defaulted: z.int().default(20),
  erasable: z.string().nullable().optional(),
  free: z.record(z.string(), z.unknown()).optional(),
  nested: z.strictObject({ inner: z.string().optional() }).optional(),
  rows: z.array(z.strictObject({ note: z.string().optional() })).optional(),
});
const clean = absentNulls(schema);

describe('null for an optional field', () => {
  it('is its absence, at any depth', () => {
    const given = {
      needed: 'x',
      optional: null,
      defaulted: null,
      nested: { inner: null },
      rows: [{ note: null }, { note: 'kept' }],
    };
    expect(clean(given)).to.deep.equal({ needed: 'x', nested: {}, rows: [{}, { note: 'kept' }] });
  });

  it('stays where null means something, where the field is needed, and in what the caller shapes', () => {
    const given = { needed: null, erasable: null, free: { mine: null }, unknown: null };
    expect(clean(given)).to.deep.equal(given);
  });

  it('leaves what is of another shape to the schema, whatever it is', () => {
    for (const other of [null, 'text', 7, true, [null], []]) {
      for (const field of ['nested', 'rows']) {
        const given = { needed: 'x', [field]: other };
        expect(clean(given)).to.deep.equal(other === null ? { needed: 'x' } : given);
      }
      expect(clean({ needed: 'x', rows: [other] })).to.deep.equal({ needed: 'x', rows: [other] });
    }
  });

  it('changes nothing that was given', () => {
    const given = { needed: 'x', optional: null, nested: { inner: null } };
    clean(given);
    expect(given).to.deep.equal({ needed: 'x', optional: null, nested: { inner: null } });
    const plain = { needed: 'x', nested: { inner: 'y' } };
    expect(clean(plain)).to.equal(plain);
  });
});
