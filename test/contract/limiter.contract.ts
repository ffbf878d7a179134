/** What every Limiter promises. Keys are new for each test, so that stores which outlive a test can be held to it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Limiter } from '../../src/ports/limiter.ts';
import { until } from '../support/until.ts';

const WINDOW_SECONDS = 2;

export function limiterContract(
  name: string,
  open: (
    windowSeconds: number,
  ) => Promise<{ readonly limiter: Limiter; readonly close: () => Promise<void> }>,
): void {
  describe(`Limiter: ${name}`, () => {
    let limiter: Limiter;
    let close: () => Promise<void>;
    const take = (key: string, limit: number) => limiter.take(key, limit, Date.now());

    before(async () => ({ limiter, close } = await open(WINDOW_SECONDS)));
    after(() => close());

    it('lets exactly the limit through, however many come at once', async () => {
      const key = randomUUID();
      const verdicts = await Promise.all(Array.from({ length: 50 }, () => take(key, 20)));
      expect(verdicts.filter(({ allowed }) => allowed)).to.have.lengthOf(20);
    });

    it('counts each key for itself', async () => {
      const [first, second] = [randomUUID(), randomUUID()];
      await take(first, 1);
      expect(await take(first, 1)).to.include({ allowed: false, remaining: 0 });
      expect(await take(second, 1)).to.include({ allowed: true, remaining: 0 });
    });

    it('opens a new window when the old one ends, which refusals do not put off', async () => {
      const key = randomUUID();
      const first = await take(key, 1);
      expect(first).to.include({ allowed: true, remaining: 0 });
      expect(first.resetMs).to.be.within(1, WINDOW_SECONDS * 1_000);
      const refused = await take(key, 1);
      expect(refused).to.include({ allowed: false, remaining: 0 });
      expect(refused.resetMs).to.be.within(1, first.resetMs);
      await until('the window has ended', async () => (await take(key, 1)).allowed);
    });

    it('follows a limit that changes within the window, to which refusals count nothing', async () => {
      const key = randomUUID();
      await take(key, 2);
      await take(key, 2);
      expect(await take(key, 2)).to.include({ allowed: false });
      expect(await take(key, 5)).to.include({ allowed: true, remaining: 2 });
      expect(await take(key, 1)).to.include({ allowed: false, remaining: 0 });
    });
  });
}
