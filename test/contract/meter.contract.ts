/** What every Meter promises. Accounts are new for each test, so that stores which outlive a test can be held to it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { idFrom } from '../../events/ids.ts';
import {
  boundsOf,
  type Counted,
  type Draw,
  type HistoryBucket,
  type HistoryGroup,
  type KnownMonth,
  type Meter,
  type MeterReading,
} from '../../src/ports/meter.ts';

export interface OpenedMeter {
  readonly mine: Meter;
  /** The same counts, as another process has them. */
  readonly theirs: Meter;
  /** Lets the last minute of the account be so much longer ago. */
  readonly pass: (accountId: string, ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const MANY = { perMinute: 1_000, perMonth: 1_000 };
const HOUR_MS = 3_600_000;

export function meterContract(name: string, open: () => Promise<OpenedMeter>): void {
  describe(`Meter: ${name}`, () => {
    let opened: OpenedMeter;
    let accountId: string;
    before(async () => (opened = await open()));
    after(() => opened.close());
    beforeEach(() => (accountId = idFrom('account', '2026-11-27T09:30:00.000Z', randomUUID())));

    const drawOf = (more: Partial<Draw> = {}): Draw => ({
      accountId,
      keyId: 'key_a',
      operation: 'listTools',
      allowance: MANY,
      costsQuota: true,
      ...more,
    });

    /** Begins the month where the engine knows nothing of it. */
    async function count(
      more: Partial<Draw> = {},
      meter = opened.mine,
    ): Promise<Exclude<Counted, { kind: 'unseeded' }>> {
      const draw = drawOf(more);
      const first = await meter.count(draw, null);
      if (first.kind !== 'unseeded') return first;
      await meter.seed({
        accountId: draw.accountId,
        period: first.period,
        totals: { counted: 0, returned: 0 },
      });
      const second = await meter.count(draw, null);
      if (second.kind === 'unseeded') throw new Error('it was told what is known, and asks again');
      return second;
    }
    async function countTimes(times: number, more: Partial<Draw> = {}): Promise<MeterReading> {
      let last = await count(more);
      for (let i = 1; i < times; i += 1) last = await count(more);
      return last.reading;
    }
    async function atOnce(times: number, more: Partial<Draw>): Promise<readonly string[]> {
      const asked = Array.from({ length: times }, (_, i) =>
        count(more, i % 2 === 0 ? opened.mine : opened.theirs),
      );
      return (await Promise.all(asked)).map((counted) =>
        counted.kind === 'counted' ? 'counted' : counted.by,
      );
    }
    async function reading(): Promise<MeterReading> {
      const read = await opened.theirs.read(accountId, MANY, null);
      if (read.kind === 'unseeded') throw new Error('nothing is known of the account');
      return read.reading;
    }
    const withMonth = (perMonth: number) => ({ allowance: { perMinute: 1_000, perMonth } });
    const withMinute = (perMinute: number) => ({ allowance: { perMinute, perMonth: 1_000 } });

    it('lets exactly the quota of a month through, however many come at once, to whichever process', async () => {
      await count();
      const outcomes = await atOnce(60, withMonth(21));
      expect(outcomes.filter((outcome) => outcome === 'counted')).to.have.lengthOf(20);
      expect(outcomes.filter((outcome) => outcome === 'month')).to.have.lengthOf(40);
      expect((await reading()).month.totals).to.deep.equal({ counted: 21, returned: 0 });
    });

    it('lets exactly the rate of a minute through in the same way', async () => {
      await count();
      const outcomes = await atOnce(60, withMinute(21));
      expect(outcomes.filter((outcome) => outcome === 'counted')).to.have.lengthOf(20);
      expect(outcomes.filter((outcome) => outcome === 'minute')).to.have.lengthOf(40);
    });

    it('counts all keys of an account together, and each account for itself', async () => {
      await count({ ...withMonth(2), keyId: 'key_a' });
      await count({ ...withMonth(2), keyId: 'key_b' });
      expect(await count({ ...withMonth(2), keyId: 'key_c' })).to.include({ kind: 'refused', by: 'month' });
      expect(await count({ ...withMinute(2), keyId: 'key_c' })).to.include({ kind: 'refused', by: 'minute' });
      const another = idFrom('account', '2026-11-27T09:30:00.000Z', randomUUID());
      expect(await count({ ...withMonth(2), accountId: another })).to.include({ kind: 'counted' });
    });

    it('counts nothing of what it refuses, but how often', async () => {
      await count(withMonth(1));
      await count(withMonth(1));
      await count(withMonth(1));
      await count(withMinute(1));
      expect(await reading()).to.deep.include({ refused: { minute: 1, month: 2 } });
      expect((await reading()).minute.used).to.equal(1);
      expect((await reading()).month.totals.counted).to.equal(1);
    });

    it('names the month where both limits stop a request, and else the one that does', async () => {
      await count();
      const both = { allowance: { perMinute: 1, perMonth: 1 } };
      expect(await count(both)).to.include({ by: 'month' });
      expect(await count(withMinute(1))).to.include({ by: 'minute' });
    });

    it('lets no 60 seconds hold more than the rate, wherever they begin', async () => {
      await countTimes(5, withMinute(10));
      // Half a minute before the first five are over: a real clock goes on, also on a busy machine.
      await opened.pass(accountId, 25_000);
      const full = await countTimes(5, withMinute(10));
      expect(full.minute.used).to.equal(10);
      expect(full.minute.resetAtMs - full.nowMs).to.be.within(1, 35_000);
      await opened.pass(accountId, 5_000);
      expect(await count(withMinute(10))).to.include({ by: 'minute' });
      await opened.pass(accountId, 30_000);
      expect((await atOnce(8, withMinute(10))).filter((outcome) => outcome === 'counted')).to.have.lengthOf(
        5,
      );
      await opened.pass(accountId, 60_000);
      expect((await reading()).minute.used).to.equal(0);
    });

    it('follows a larger plan with the next request, and a smaller one: what was used stays used', async () => {
      await countTimes(4, withMonth(4));
      expect(await count(withMonth(4))).to.include({ by: 'month' });
      expect(await count(withMonth(6))).to.include({ kind: 'counted' });
      const { month } = (await count(withMonth(3))).reading;
      expect(month.totals.counted).to.equal(5);
      expect(await count(withMonth(6))).to.include({ kind: 'counted' });
    });

    it('says after a change to a smaller plan when enough of the minute is over', async () => {
      await countTimes(2);
      await opened.pass(accountId, 40_000);
      await countTimes(2);
      const { reading: stopped } = await count(withMinute(2));
      expect(stopped.minute.used).to.equal(4);
      expect(stopped.minute.resetAtMs - stopped.nowMs).to.be.within(20_001, 60_000);
    });

    it('counts what costs no quota in the minute alone, also when the month is used up', async () => {
      await count(withMonth(1));
      const free = await count({ ...withMonth(1), costsQuota: false });
      expect(free).to.include({ kind: 'counted' });
      expect(free.reading.minute.used).to.equal(2);
      expect(free.reading.month.totals.counted).to.equal(1);
      expect(await count({ ...withMinute(2), costsQuota: false })).to.include({ by: 'minute' });
    });

    it('gives back the quota of a request and not its place in the minute', async () => {
      await count(withMonth(2));
      const failed = await count(withMonth(2));
      if (failed.kind !== 'counted') throw new Error('it was to be counted');
      expect(await count(withMonth(2))).to.include({ by: 'month' });
      await opened.theirs.giveBack(failed.receipt);
      expect((await reading()).month.totals).to.deep.equal({ counted: 2, returned: 1 });
      expect((await reading()).minute.used).to.equal(2);
      expect(await count(withMonth(2))).to.include({ kind: 'counted' });
    });

    it('asks what is known of a month that it holds nothing of, and goes on from there', async () => {
      const asked = await opened.mine.count(drawOf(), null);
      if (asked.kind !== 'unseeded') throw new Error('it knows an account that never came');
      expect(asked.period).to.match(/^\d{4}-\d{2}$/);
      expect(await opened.mine.read(accountId, MANY, null)).to.deep.equal(asked);
      const totals = { counted: 998, returned: 0 };
      // Whoever else is told the same at that moment tells it too.
      await Promise.all(
        [opened.mine, opened.theirs].map((meter) => meter.seed({ accountId, period: asked.period, totals })),
      );
      const outcomes = await atOnce(10, withMonth(1_000));
      expect(outcomes.filter((outcome) => outcome === 'counted')).to.have.lengthOf(2);
    });

    it('never counts less because of what somebody knew before', async () => {
      const { month } = await countTimes(5);
      await opened.theirs.seed({ accountId, ...month, totals: { counted: 3, returned: 0 } });
      expect((await reading()).month.totals.counted).to.equal(5);
    });

    it('is put right by whoever has seen more than it remembers, and by nothing of another month', async () => {
      const { month } = await countTimes(2);
      const seen: KnownMonth = { ...month, totals: { counted: 9, returned: 2 } };
      await opened.mine.count(drawOf(), { ...seen, period: '2001-01' });
      expect((await reading()).month.totals).to.deep.equal({ counted: 3, returned: 0 });
      await opened.mine.count(drawOf(), seen);
      expect((await reading()).month.totals).to.deep.equal({ counted: 10, returned: 2 });
    });

    it('tells what was used by hour and by day, by key and by operation, without what was given back', async () => {
      await countTimes(2, { keyId: 'key_a', operation: 'listTools' });
      await count({ keyId: 'key_b', operation: 'listTools' });
      const failed = await count({ keyId: 'key_b', operation: 'listModels' });
      if (failed.kind !== 'counted') throw new Error('it was to be counted');
      await opened.mine.giveBack(failed.receipt);
      await count({ keyId: 'key_b', operation: 'getUsage', costsQuota: false });
      const { nowMs } = failed.reading;
      const [monthMs, nextMonthMs] = boundsOf('month', nowMs);
      const month = { fromMs: monthMs, toMs: nextMonthMs };
      const days = { fromMs: nowMs - (nowMs % (24 * HOUR_MS)), toMs: nowMs + 24 * HOUR_MS };
      const used = async (bucket: HistoryBucket, groupBy: HistoryGroup) => {
        const asked = bucket === 'month' ? month : days;
        const rows = await opened.theirs.history({ accountId, ...asked, bucket, groupBy, limit: 100 });
        for (const { startMs } of rows) expect(boundsOf(bucket, startMs)[0]).to.equal(startMs);
        const sums: Record<string, number> = {};
        for (const { group, requests } of rows) sums[group] = (sums[group] ?? 0) + requests;
        return sums;
      };
      expect(await used('hour', 'key')).to.deep.equal({ key_a: 2, key_b: 1 });
      expect(await used('day', 'key')).to.deep.equal({ key_a: 2, key_b: 1 });
      expect(await used('hour', 'operation')).to.deep.equal({ listTools: 3 });
      expect(await used('day', 'operation')).to.deep.equal({ listTools: 3 });
      expect(await used('month', 'key')).to.deep.equal({ key_a: 2, key_b: 1 });
      const first = { ...month, bucket: 'month', groupBy: 'key', limit: 1 } as const;
      expect(await opened.mine.history({ accountId, ...first }), 'no more than asked for').to.have.lengthOf(
        1,
      );
      const before = { fromMs: days.fromMs - 24 * HOUR_MS, toMs: days.fromMs };
      expect(
        await opened.mine.history({ accountId, ...before, bucket: 'day', groupBy: 'key', limit: 100 }),
      ).to.deep.equal([]);
    });

    it('tells the use of very many keys once each, whatever is counted meanwhile', async () => {
      const allowance = { perMinute: 100_000, perMonth: 100_000 };
      const keysFrom = (from: number) => Array.from({ length: 1_500 }, (_, i) => `key_${from + i}`);
      const countEach = (keys: readonly string[]) =>
        Promise.all(keys.map((keyId) => count({ keyId, allowance })));
      const [begun] = await countEach(['key_0']);
      await countEach(keysFrom(1));
      const [fromMs, toMs] = boundsOf('month', begun!.reading.nowMs);
      const asked = { accountId, fromMs, toMs, bucket: 'month', groupBy: 'key', limit: 10_000 } as const;
      const [rows] = await Promise.all([opened.theirs.history(asked), countEach(keysFrom(2_000))]);
      const known = new Map(rows.map(({ group, requests }) => [group, requests]));
      expect(known.size, 'each once').to.equal(rows.length);
      for (const key of ['key_0', ...keysFrom(1)]) expect(known.get(key), key).to.equal(1);
      expect(await opened.theirs.history(asked)).to.have.lengthOf(3_001);
    });

    it('names the months that changed until they are said to be saved, and again once they change', async () => {
      const mine = async () =>
        (await opened.mine.unsaved(1_000)).filter((month) => month.accountId === accountId);
      await countTimes(3);
      const [unsaved] = await mine();
      expect(unsaved).to.deep.include({ totals: { counted: 3, returned: 0 } });
      await count();
      await opened.mine.saved([unsaved!]);
      expect(await mine(), 'what grew meanwhile').to.have.lengthOf(1);
      await opened.theirs.saved(await mine());
      expect(await mine()).to.deep.equal([]);
      await count({ costsQuota: false });
      await count(withMonth(1));
      expect(await mine(), 'what costs nothing').to.deep.equal([]);
      await count();
      expect(await mine()).to.have.lengthOf(1);
    });
  });
}
