import { expect } from 'chai';
import type { CollectionSpec, GenerationStatus } from '../../projections/view-store.ts';
import { planGenerations } from '../../src/projecting/generation-planner.ts';

const spec: CollectionSpec = { name: 'boxes', version: 2, fields: {}, orders: {} };

function generation(number: number, version: number, live = false, view = 'boxes'): GenerationStatus {
  return { view, version, generation: number, live, documents: 0, checkpoint: null, stuck: null };
}

/** The numbers of the generations that are followed and dropped, and how many are begun. */
function planned(...generations: GenerationStatus[]): unknown {
  const { follow, begin, drop } = planGenerations([spec], generations);
  return {
    follow: follow.map((one) => one.generation.generation),
    begin: begin.length,
    drop: drop.map((one) => one.generation),
  };
}

describe('the plan of generations', () => {
  it('follows the live one of this version', () => {
    expect(planned(generation(1, 2, true))).to.deep.equal({ follow: [1], begin: 0, drop: [] });
  });

  it('begins one beside a live one that is older, and does not feed the older one', () => {
    expect(planned(generation(1, 1, true))).to.deep.equal({ follow: [], begin: 1, drop: [] });
  });

  it('goes on with the one that is being built', () => {
    expect(planned(generation(1, 1, true), generation(2, 2))).to.deep.equal({
      follow: [2],
      begin: 0,
      drop: [],
    });
    expect(planned(generation(1, 2, true), generation(2, 2))).to.deep.equal({
      follow: [1, 2],
      begin: 0,
      drop: [],
    });
  });

  it('drops what an older program was building, and all but the newest of this version', () => {
    expect(
      planned(generation(1, 1, true), generation(2, 1), generation(3, 2), generation(4, 2)),
    ).to.deep.equal({
      follow: [4],
      begin: 0,
      drop: [3, 2],
    });
  });

  it('leaves what is newer alone, live or being built', () => {
    expect(planned(generation(1, 3, true))).to.deep.equal({ follow: [], begin: 0, drop: [] });
    expect(planned(generation(1, 2, true), generation(2, 3))).to.deep.equal({
      follow: [1],
      begin: 0,
      drop: [],
    });
  });

  it('begins the first one of a view, and goes on with it', () => {
    expect(planned()).to.deep.equal({ follow: [], begin: 1, drop: [] });
    expect(planned(generation(1, 2))).to.deep.equal({ follow: [1], begin: 0, drop: [] });
    expect(planned(generation(1, 1))).to.deep.equal({ follow: [], begin: 1, drop: [1] });
  });

  it('begins none where a newer program is building its own, which would drop it', () => {
    expect(planned(generation(1, 3))).to.deep.equal({ follow: [], begin: 0, drop: [] });
    expect(planned(generation(1, 1, true), generation(2, 3))).to.deep.equal({
      follow: [],
      begin: 0,
      drop: [],
    });
  });

  it('leaves the views of others alone', () => {
    expect(planned(generation(1, 2, true), generation(2, 1, false, 'other'))).to.deep.equal({
      follow: [1],
      begin: 0,
      drop: [],
    });
  });
});
