import { expect } from 'chai';
import { reactions } from '../../src/reactions/reactions.ts';
import { openMemoryMarket } from '../support/memory-market.ts';

describe('the reactions', () => {
  it('are listed under the names that their checkpoints are kept by', async () => {
    const { services, close } = await openMemoryMarket();
    const names = Object.values(reactions).map((make) => make(services).name);
    expect(names).to.deep.equal(Object.keys(reactions));
    await close();
  });
});
