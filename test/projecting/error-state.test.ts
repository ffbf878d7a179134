import { expect } from 'chai';
import type { ProjectorError } from '../../src/projecting/projector-parts.ts';
import { createErrorState } from '../../src/projecting/error-state.ts';

const DRAWS = 200;

describe('The errors of a projector', () => {
  const told: ProjectorError[] = [];
  const opened = () => createErrorState({ now: () => 0, onError: (one) => void told.push(one) });
  const pausesAfter = (failures: number): number[] =>
    Array.from({ length: DRAWS }, () => {
      const errors = opened();
      for (let i = 0; i < failures; i += 1) errors.failed(new Error('away'), 'look');
      return errors.pauseMs();
    });

  it('are paused after, longer with each in a row, and no longer than five seconds', () => {
    for (const pause of pausesAfter(1)) expect(pause).to.be.within(50, 100);
    for (const pause of pausesAfter(100)) expect(pause).to.be.within(50, 5_050);
    expect(Math.max(...pausesAfter(4))).to.be.above(100);
  });

  it('are paused after once, and shortly again once one was over', () => {
    const errors = opened();
    for (let i = 0; i < 100; i += 1) errors.failed(new Error('away'), 'group');
    expect(errors.pauseMs()).to.be.at.least(50);
    expect(errors.pauseMs()).to.equal(0);
    errors.over();
    errors.failed(new Error('away'), 'group');
    expect(errors.pauseMs()).to.be.within(50, 100);
  });

  it('leave the next pages to whoever was faster', () => {
    const errors = opened();
    errors.lost();
    expect(errors.pauseMs()).to.be.within(50, 150);
    expect(errors.pauseMs()).to.equal(0);
    expect(errors.current()).to.equal(null);
  });

  it('stand until what failed goes on: a look by a good look, a group by a group', () => {
    const errors = opened();
    const error = new Error('away');
    errors.failed(error, 'group');
    errors.looked();
    expect(errors.current()).to.deep.equal({ view: null, error, at: '1970-01-01T00:00:00.000Z' });
    expect(told.at(-1)).to.equal(errors.current());
    errors.over();
    expect(errors.current()).to.equal(null);
    errors.failed(error, 'look');
    errors.looked();
    expect(errors.current()).to.equal(null);
  });
});
