import { expect } from 'chai';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';

describe('the limiter in memory', () => {
  const start = 1_800_000_000_000;

  it('counts each key for itself', async () => {
    const limiter = createMemoryLimiter(60);
    await limiter.take('a', 1, start);
    expect(await limiter.take('a', 1, start)).to.include({ allowed: false, remaining: 0 });
    expect(await limiter.take('b', 1, start)).to.include({ allowed: true });
  });

  it('opens a new window exactly when the old one ends', async () => {
    const limiter = createMemoryLimiter(60);
    await limiter.take('a', 1, start);
    expect(await limiter.take('a', 1, start + 59_999)).to.deep.equal({
      allowed: false,
      remaining: 0,
      resetMs: 1,
    });
    expect(await limiter.take('a', 1, start + 60_000)).to.deep.equal({
      allowed: true,
      remaining: 0,
      resetMs: 60_000,
    });
  });

  it('follows a limit that changes within the window', async () => {
    const limiter = createMemoryLimiter(60);
    await limiter.take('a', 2, start);
    await limiter.take('a', 2, start);
    expect(await limiter.take('a', 5, start)).to.include({ allowed: true, remaining: 2 });
    expect(await limiter.take('a', 1, start)).to.include({ allowed: false, remaining: 0 });
  });

  it('does not shut anybody out for long when the clock is set back', async () => {
    const limiter = createMemoryLimiter(60);
    await limiter.take('a', 1, start);
    expect(await limiter.take('a', 1, start - 3_600_000)).to.include({ allowed: true, resetMs: 60_000 });
  });

  it('keeps a bounded number of keys, the oldest going first', async () => {
    const limiter = createMemoryLimiter(60, 3);
    for (const key of ['a', 'b', 'c', 'd']) await limiter.take(key, 1, start);
    expect(await limiter.take('d', 1, start)).to.include({ allowed: false });
    expect(await limiter.take('c', 1, start)).to.include({ allowed: false });
    expect(await limiter.take('a', 1, start)).to.include({ allowed: true });
  });
});
