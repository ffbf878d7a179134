/** Which searches the event loop does itself. */
import { expect } from 'chai';
import { searchCosts } from '../../../infra/sqlite/search-costs.ts';

describe('What a search may cost', () => {
  it('is bounded by its words and the documents that there are', () => {
    const costs = searchCosts();
    expect(costs.mayBeLong(['code'], 3_300)).to.equal(false);
    expect(costs.mayBeLong(['code'], 100_000)).to.equal(true);
    expect(
      costs.mayBeLong(
        Array.from({ length: 16 }, (_, i) => `word${i}`),
        3_300,
      ),
    ).to.equal(true);
  });

  it('is known of words that were searched for: dear ones stay dear, however soon the next answer came', () => {
    const costs = searchCosts();
    costs.took(['rare'], 0.1);
    expect(costs.mayBeLong(['rare'], 100_000)).to.equal(false);
    costs.took(['common'], 80);
    costs.took(['common'], 0.1);
    expect(costs.mayBeLong(['common'], 100_000)).to.equal(true);
    costs.took(['rare'], 40);
    expect(costs.mayBeLong(['rare'], 100_000)).to.equal(true);
    expect(costs.mayBeLong(['rare', 'common'], 100_000)).to.equal(true);
  });
});
