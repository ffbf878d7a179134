/** What every Leases promises. An adapter's test file hands in how two processes reach the same ones. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Leases } from '../../src/ports/leases.ts';
import { until } from '../support/until.ts';

const LONG_MS = 60_000;
const SHORT_MS = 300;
/** Clocks that count whole milliseconds may be short by one. */
const GRAIN_MS = 1;

export interface OpenedLeases {
  readonly mine: Leases;
  /** The same, as another process has them. */
  readonly theirs: Leases;
  readonly close: () => Promise<void>;
}

export function leasesContract(name: string, open: () => Promise<OpenedLeases>): void {
  describe(`Leases: ${name}`, () => {
    let opened: OpenedLeases;
    let lease: string;
    before(async () => (opened = await open()));
    after(() => opened.close());
    beforeEach(() => (lease = `lease-${randomUUID()}`));

    const mine = (ttlMs = LONG_MS) => opened.mine.take(lease, 'me', ttlMs);
    const theirs = (ttlMs = LONG_MS) => opened.theirs.take(lease, 'them', ttlMs);
    const theirsAfterAll = () => until('the lease has run out', () => theirs(SHORT_MS));

    it('are held by one at a time, and taken anew by the same', async () => {
      expect(await mine()).to.equal(true);
      expect(await theirs()).to.equal(false);
      expect(await mine()).to.equal(true);
    });

    it('are given to exactly one of many who ask at once', async () => {
      const asked = Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? opened.mine : opened.theirs).take(lease, `holder-${i}`, LONG_MS),
      );
      expect((await Promise.all(asked)).filter(Boolean)).to.have.lengthOf(1);
    });

    it('can be had at once when they are given back, which only their holder can do', async () => {
      await mine();
      await opened.theirs.release(lease, 'them');
      expect(await theirs()).to.equal(false);
      await opened.mine.release(lease, 'me');
      expect(await theirs()).to.equal(true);
    });

    it('run out when their holder is not heard of, and not before', async () => {
      const askedAtMs = performance.now();
      await mine(SHORT_MS);
      await theirsAfterAll();
      expect(performance.now() - askedAtMs).to.be.at.least(SHORT_MS - GRAIN_MS);
    });

    it('last anew from the moment they are taken anew', async () => {
      await mine(SHORT_MS);
      await delay(SHORT_MS / 2);
      const askedAtMs = performance.now();
      expect(await mine(SHORT_MS)).to.equal(true);
      await theirsAfterAll();
      expect(performance.now() - askedAtMs).to.be.at.least(SHORT_MS - GRAIN_MS);
    });

    it('are apart by name', async () => {
      await mine();
      expect(await opened.theirs.take(`${lease}-other`, 'them', LONG_MS)).to.equal(true);
    });
  });
}
