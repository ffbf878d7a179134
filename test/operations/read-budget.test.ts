import { expect } from 'chai';
import { createReadBudget } from '../../src/operations/read-budget.ts';

const PER_MINUTE = 600;

describe('How much may be read for an account in a minute', () => {
  let nowMs: number;
  const budget = () => createReadBudget('sums', PER_MINUTE, () => nowMs);
  beforeEach(() => (nowMs = 5_000_000));

  it('lets an account go on until it has read that, and again when enough time has passed', () => {
    const { refusal, spend } = budget();
    expect(refusal('acc_a')).to.equal(null);
    spend('acc_a', PER_MINUTE - 1);
    expect(refusal('acc_a')).to.equal(null);
    // More than was left: that takes longer.
    spend('acc_a', 101);
    expect(refusal('acc_a')?.refusal).to.include({ code: 'rate_limited', retryAfterSeconds: 10 });
    nowMs += 9_000;
    expect(refusal('acc_a')?.refusal).to.include({ retryAfterSeconds: 1 });
    nowMs += 1_001;
    expect(refusal('acc_a')).to.equal(null);
  });

  it('gives back what time gives back, and no more than a minute of it', () => {
    const { refusal, spend } = budget();
    spend('acc_a', PER_MINUTE);
    nowMs += 3_600_000;
    spend('acc_a', PER_MINUTE - 1);
    expect(refusal('acc_a')).to.equal(null);
    spend('acc_a', 1);
    expect(refusal('acc_a')).to.not.equal(null);
  });

  it('holds for each account alone', () => {
    const { refusal, spend } = budget();
    spend('acc_a', 10 * PER_MINUTE);
    expect(refusal('acc_a')).to.not.equal(null);
    expect(refusal('acc_b')).to.equal(null);
  });
});
