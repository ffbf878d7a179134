import { expect } from 'chai';
import { z } from 'zod';
import { defineProjection } from '../../projections/projection.ts';
import { createDocumentBuffer } from '../../src/projecting/document-buffer.ts';

const noteSchema = z.object({ title: z.string() });
const notes = defineProjection<z.infer<typeof noteSchema>>({
  name: 'notes',
  version: 1,
  summary: 'Notes, found by their titles.',
  schema: noteSchema,
  fields: {},
  orders: {},
  on: {},
  index: () => ({}),
  words: ({ title }) => [title],
});
const EVERYTHING = { documents: 100, chars: 1_000_000 };
const stored = (...keys: string[]) => new Map(keys.map((key) => [key, JSON.stringify({ title: key })]));

describe('The documents that a view is working on', () => {
  const buffer = () => createDocumentBuffer(notes);
  const holding = (...keys: string[]) => {
    const held = buffer();
    held.put(keys, stored(...keys));
    return held;
  };

  it('are written only where one has become another', () => {
    const held = holding('a', 'b');
    held.change('a', held.document('a'), '1');
    held.change('b', { title: 'other' }, '2');
    expect(held.writes().map(({ key }) => key)).to.deep.equal(['b']);
  });

  it('are new where the store was asked and had none, where nobody asked, and where it was removed', () => {
    const held = holding('stored', 'removed');
    held.put(['missing'], new Map());
    held.create(['created']);
    held.change('removed', undefined, '1');
    held.settle(held.writes(), EVERYTHING);
    for (const key of ['stored', 'missing', 'created', 'removed']) held.change(key, { title: 'now' }, '2');
    const isNew = Object.fromEntries(
      held.writes().map((write) => [write.key, 'isNew' in write && write.isNew]),
    );
    expect(isNew).to.deep.equal({ stored: false, missing: true, created: true, removed: true });
  });

  it('are weighed by what was changed, until it is committed', () => {
    const held = holding('aaaa', 'b');
    expect(held.changed()).to.deep.equal({ documents: 0, chars: 0 });
    held.change('aaaa', { title: 'other' }, '1');
    expect(held.changed()).to.deep.equal({ documents: 1, chars: JSON.stringify({ title: 'aaaa' }).length });
    held.settle(held.writes(), EVERYTHING);
    expect(held.changed()).to.deep.equal({ documents: 0, chars: 0 });
    expect(held.writes()).to.deep.equal([]);
  });

  it('are found by the words that they have now', () => {
    const held = holding('a');
    const wordsAfter = (title: string) => {
      held.change('a', { title }, '1');
      return held.writes().map(({ document }) => document?.words);
    };
    const [before] = [wordsAfter('invoices')];
    expect(wordsAfter('bundles')).to.not.deep.equal(before);
    expect(wordsAfter('invoices')).to.deep.equal(before);
  });

  it('are forgotten beyond so many, and beyond so much, the one that changed last coming last', () => {
    const held = holding('a', 'b', 'c');
    held.change('a', { title: 'x' }, '1');
    held.settle(held.writes(), { ...EVERYTHING, documents: 2 });
    expect(['a', 'b', 'c'].map(held.holds)).to.deep.equal([true, false, true]);
    const [one = ''] = stored('c').values();
    held.settle([], { ...EVERYTHING, chars: one.length });
    expect(['a', 'c'].map(held.holds)).to.deep.equal([true, false]);
  });
});
