/** Documents side by side, whatever was once stored in them. */
import { expect } from 'chai';
import { comparisonOf } from '../../../src/operations/directory/comparison.ts';

describe('Documents laid side by side', () => {
  it('show each field of any of them, and whether it differs', () => {
    const [one, other] = [
      { name: 'One', score: { tier: 'listed', points: 60 }, categories: ['finance'] },
      { name: 'Other', score: { tier: 'listed' }, categories: ['finance'] },
    ];
    expect(comparisonOf([one, other])).to.deep.equal([
      { field: 'name', values: ['One', 'Other'], differs: true },
      { field: 'score.tier', values: ['listed', 'listed'], differs: false },
      { field: 'score.points', values: [60, null], differs: true },
      { field: 'categories', values: [['finance'], ['finance']], differs: false },
    ]);
  });

  it('are compared also where one holds half a character, from before that was refused', () => {
    expect(comparisonOf([{ name: 'One \ud83d' }, { name: 'One' }])).to.deep.equal([
      { field: 'name', values: ['One \ud83d', 'One'], differs: true },
    ]);
  });
});
