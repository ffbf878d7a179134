import { expect } from 'chai';
import { createSpacing } from '../../../src/operations/webhooks/spacing.ts';

describe('what is sent at a caller’s word', () => {
  it('goes once in its time for each thing, and waits as long as it says', () => {
    const wait = createSpacing(5_000);
    expect(wait('a', 'first', 1_000)).to.equal(0);
    expect(wait('a', 'second', 1_001)).to.equal(5);
    expect(wait('a', 'second', 5_900)).to.equal(1);
    expect(wait('b', 'second', 1_001)).to.equal(0);
    expect(wait('a', 'second', 6_000)).to.equal(0);
  });

  it('may be asked for again by the same command, also after others, which does not hold up what comes next', () => {
    const wait = createSpacing(5_000);
    wait('a', 'first', 1_000);
    expect(wait('a', 'first', 1_001)).to.equal(0);
    wait('a', 'second', 6_000);
    expect(wait('a', 'first', 6_001)).to.equal(0);
    expect(wait('a', 'third', 11_000)).to.equal(0);
    expect(wait('b', 'first', 1_000), 'of another thing it is another').to.equal(0);
  });

  it('does not wait for a clock that was set back', () => {
    const wait = createSpacing(5_000);
    wait('a', 'first', 1_000_000);
    expect(wait('a', 'second', 1_000)).to.equal(0);
  });

  it('takes bounded memory: what was sent longest ago is forgotten', () => {
    const wait = createSpacing(5_000, 2);
    for (const thing of ['a', 'b']) wait(thing, 'first', 0);
    wait('a', 'second', 6_000);
    wait('c', 'first', 6_000);
    expect(wait('a', 'third', 6_000)).to.equal(5);
    wait('b', 'second', 6_000);
    expect(wait('a', 'third', 6_000)).to.equal(0);
  });
});
