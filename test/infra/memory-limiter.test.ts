import { expect } from 'chai';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';

describe('the limiter in memory', () => {
  it('keeps a bounded number of keys, the oldest going first', async () => {
    const limiter = createMemoryLimiter(60, 3);
    for (const key of ['a', 'b', 'c', 'd']) await limiter.take(key, 1, 0);
    expect(await limiter.take('d', 1, 0)).to.include({ allowed: false });
    expect(await limiter.take('c', 1, 0)).to.include({ allowed: false });
    expect(await limiter.take('a', 1, 0)).to.include({ allowed: true });
  });
});
