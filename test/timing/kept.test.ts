/** What many ask for is looked up once, for a while or for good, and again where that has failed. */
import { expect } from 'chai';
import { keptFor, keptOnce } from '../../src/timing/kept.ts';
import { rejectionOf } from '../support/rejection.ts';

describe('An answer that is kept', () => {
  it('is looked up once for all who ask, and anew when its time is over', async () => {
    let nowMs = 0;
    let looks = 0;
    const kept = keptFor(
      100,
      () => nowMs,
      async () => (looks += 1),
    );
    expect(await Promise.all([kept.current(), kept.current()])).to.deep.equal([1, 1]);
    nowMs = 99;
    expect(await kept.current()).to.equal(1);
    nowMs = 100;
    expect(await kept.current()).to.equal(2);
    expect(await kept.renew()).to.equal(3);
    expect(await kept.current()).to.equal(3);
  });

  it('is looked up again where that has failed', async () => {
    let looks = 0;
    const once = keptOnce(async () => {
      looks += 1;
      if (looks === 1) throw new Error('away');
      return looks;
    });
    const asked = Promise.all([once(), once()]);
    expect(await rejectionOf(asked)).to.have.property('message', 'away');
    expect(looks).to.equal(1);
    expect([await once(), await once()]).to.deep.equal([2, 2]);
  });
});
