import { expect } from 'chai';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';

describe('the limiter in memory', () => {
  const start = 1_800_000_000_000;

  it('keeps a bounded number of keys, the oldest going first', async () => {
    const limiter = createMemoryLimiter(60, 3);
    for (const key of ['a', 'b', 'c', 'd']) await limiter.take(key, 1, 0);
    expect(await limiter.take('d', 1, 0)).to.include({ allowed: false });
    expect(await limiter.take('c', 1, 0)).to.include({ allowed: false });
    expect(await limiter.take('a', 1, 0)).to.include({ allowed: true });
  });

  it('opens a new window exactly when the old one ends, which refusals do not put off', async () => {
    const limiter = createMemoryLimiter(60);
    expect(await limiter.take('a', 1, start)).to.deep.equal({
      allowed: true,
      remaining: 0,
      resetMs: 60_000,
    });
    const late = await limiter.take('a', 1, start + 59_999);
    expect(late).to.deep.equal({ allowed: false, remaining: 0, resetMs: 1 });
    const next = await limiter.take('a', 1, start + 60_000);
    expect(next).to.deep.equal({ allowed: true, remaining: 0, resetMs: 60_000 });
  });

  it('does not shut anybody out for long when the clock is set back', async () => {
    const limiter = createMemoryLimiter(60);
    await limiter.take('a', 1, start);
    expect(await limiter.take('a', 1, start - 3_600_000)).to.include({ allowed: true, resetMs: 60_000 });
  });
});
