/** What every Limiter promises. Keys are new for each test, so that stores which outlive a test can be held to it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Limiter } from '../../src/ports/limiter.ts';

/** `open` makes a limiter with windows of 60 seconds. */
export function limiterContract(
  name: string,
  open: () => Promise<{ readonly limiter: Limiter; readonly close: () => Promise<void> }>,
): void {
  describe(`Limiter: ${name}`, () => {
    let limiter: Limiter;
    let close: () => Promise<void>;
    const start = 1_800_000_000_000;

    before(async () => ({ limiter, close } = await open()));
    after(() => close());

    it('lets exactly the limit through, however many come at once', async () => {
      const key = randomUUID();
      const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter.take(key, 20, start)));
      expect(verdicts.filter(({ allowed }) => allowed)).to.have.lengthOf(20);
    });

    it('counts each key for itself', async () => {
      const [first, second] = [randomUUID(), randomUUID()];
      await limiter.take(first, 1, start);
      expect(await limiter.take(first, 1, start)).to.include({ allowed: false, remaining: 0 });
      expect(await limiter.take(second, 1, start)).to.include({ allowed: true, remaining: 0 });
    });

    it('opens a new window exactly when the old one ends, which refusals do not put off', async () => {
      const key = randomUUID();
      expect(await limiter.take(key, 1, start)).to.deep.equal({
        allowed: true,
        remaining: 0,
        resetMs: 60_000,
      });
      const late = await limiter.take(key, 1, start + 59_999);
      expect(late).to.deep.equal({ allowed: false, remaining: 0, resetMs: 1 });
      const next = await limiter.take(key, 1, start + 60_000);
      expect(next).to.deep.equal({ allowed: true, remaining: 0, resetMs: 60_000 });
    });

    it('follows a limit that changes within the window', async () => {
      const key = randomUUID();
      await limiter.take(key, 2, start);
      await limiter.take(key, 2, start);
      expect(await limiter.take(key, 5, start)).to.include({ allowed: true, remaining: 2 });
      expect(await limiter.take(key, 1, start)).to.include({ allowed: false, remaining: 0 });
    });

    it('does not shut anybody out for long when the clock is set back', async () => {
      const key = randomUUID();
      await limiter.take(key, 1, start);
      expect(await limiter.take(key, 1, start - 3_600_000)).to.include({ allowed: true, resetMs: 60_000 });
    });
  });
}
