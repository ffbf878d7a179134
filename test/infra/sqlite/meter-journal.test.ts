/** The journal of a meter: what is folded, by whom and when changes nothing of what is counted. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { openSqliteMeter } from '../../../infra/sqlite/meter.ts';
import { type Draw, type Meter, MeterUnavailable, type Receipt } from '../../../src/ports/meter.ts';
import { createMemoryMeter } from '../../contract/memory/meter.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const NOON = Date.parse('2026-11-27T12:00:00.000Z');
const PERIOD = '2026-11';
const HOUR_MS = 3_600_000;
const MANY = { perMinute: 100_000, perMonth: 100_000 };
const NOTHING = { counted: 0, returned: 0 };

const drawOf = (accountId: string, more: Partial<Draw> = {}): Draw => ({
  accountId,
  keyId: 'key_a',
  operation: 'listTools',
  allowance: MANY,
  costsQuota: true,
  ...more,
});

describe('The journal of a meter in SQLite', () => {
  let folder: TempFolder;
  let path: string;
  let nowMs: number;
  const opened: ReturnType<typeof openSqliteMeter>[] = [];
  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('meter.db');
    nowMs = NOON;
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ close }) => close()));
    await folder.remove();
  });

  function open(): Meter {
    const one = openSqliteMeter(path, () => nowMs);
    opened.push(one);
    return one.meter;
  }
  const begin = (meter: Meter, accountId: string) =>
    meter.seed({ accountId, period: PERIOD, totals: NOTHING });
  const countTimes = (meter: Meter, times: number, draw: Draw) =>
    Promise.all(Array.from({ length: times }, () => meter.count(draw, null)));
  async function readingOf(meter: Meter, accountId: string) {
    const read = await meter.read(accountId, MANY, null);
    if (read.kind === 'unseeded') throw new Error('the month is not known');
    return read.reading;
  }
  const historyOf = (meter: Meter, accountId: string) =>
    meter.history({
      accountId,
      fromMs: NOON,
      toMs: NOON + HOUR_MS,
      bucket: 'hour',
      groupBy: 'key',
      limit: 100,
    });
  function inFile<T>(look: (db: Database.Database) => T): T {
    const db = new Database(path);
    try {
      return look(db);
    } finally {
      db.close();
    }
  }

  it('has all that was counted when it is opened again, folded or not', async () => {
    const first = open();
    await begin(first, 'acc_a');
    await countTimes(first, 3, drawOf('acc_a'));
    await first.unsaved(10);
    await countTimes(first, 2, drawOf('acc_a', { allowance: { perMinute: 4, perMonth: 10 } }));
    const again = open();
    const { minute, month, refused } = await readingOf(again, 'acc_a');
    expect([minute.used, month.totals.counted, refused.minute]).to.deep.equal([4, 4, 1]);
    expect(await historyOf(again, 'acc_a')).to.deep.equal([{ startMs: NOON, group: 'key_a', requests: 4 }]);
  });

  it('is folded after a while, and what is a minute old is let go', async () => {
    const meter = open();
    await begin(meter, 'acc_a');
    await countTimes(meter, 6_000, drawOf('acc_a'));
    inFile((db) => db.exec('UPDATE journal SET at = at - 61000'));
    await countTimes(meter, 6_000, drawOf('acc_a'));
    const kept = inFile((db) => db.prepare('SELECT entries FROM journal').pluck().all() as string[]);
    const entries = kept.flatMap((text) => JSON.parse(text) as unknown[]);
    expect(entries.length).to.be.within(1, 6_000);
    expect((await readingOf(meter, 'acc_a')).month.totals.counted).to.equal(12_000);
  });

  it('is no riddle to a process that was idle while others folded it and let it go', async () => {
    const [busy, idle] = [open(), open()];
    await begin(busy, 'acc_a');
    await countTimes(idle, 2, drawOf('acc_a'));
    await countTimes(busy, 3, drawOf('acc_a'));
    inFile((db) => db.exec('UPDATE journal SET at = 0'));
    await busy.unsaved(10);
    await countTimes(busy, 1, drawOf('acc_a'));
    expect(inFile((db) => db.prepare('SELECT count(*) FROM journal').pluck().get())).to.equal(1);
    expect((await readingOf(idle, 'acc_a')).month.totals.counted).to.equal(6);
    await countTimes(idle, 1, drawOf('acc_a'));
    expect((await readingOf(busy, 'acc_a')).month.totals.counted).to.equal(7);
    expect(await historyOf(idle, 'acc_a')).to.deep.equal([{ startMs: NOON, group: 'key_a', requests: 7 }]);
  });

  it('keeps what is in the minute of a clock that was set back, for whoever comes later', async () => {
    const meter = open();
    await begin(meter, 'acc_a');
    await countTimes(meter, 1, drawOf('acc_a'));
    nowMs -= 40_000;
    await countTimes(meter, 9, drawOf('acc_a'));
    nowMs = NOON + 25_000;
    expect((await readingOf(meter, 'acc_a')).minute.used).to.equal(10);
    await meter.unsaved(10);
    expect((await readingOf(open(), 'acc_a')).minute.used).to.equal(10);
    nowMs = NOON + 60_000;
    await countTimes(meter, 1, drawOf('acc_a'));
    await meter.unsaved(10);
    expect((await readingOf(meter, 'acc_a')).minute.used).to.equal(1);
    expect(inFile((db) => db.prepare('SELECT count(*) FROM journal').pluck().get())).to.equal(1);
  });

  it('counts nothing of a batch that failed', async () => {
    const meter = open();
    await begin(meter, 'acc_a');
    const wrong = 'no months' as never;
    const failures = await Promise.all(
      [meter.count(drawOf('acc_a'), null), meter.saved(wrong)].map((asked) => rejectionOf(asked)),
    );
    for (const failure of failures) expect(failure).to.be.instanceOf(MeterUnavailable);
    await countTimes(meter, 1, drawOf('acc_a'));
    const { minute, month } = await readingOf(meter, 'acc_a');
    expect([minute.used, month.totals.counted]).to.deep.equal([1, 1]);
  });

  it('goes on from a file of the first format', async () => {
    inFile((db) =>
      db.exec(`
        CREATE TABLE minutes (account_id TEXT, at INTEGER, first INTEGER, requests INTEGER);
        CREATE TABLE months (account_id TEXT NOT NULL, period TEXT NOT NULL, counted INTEGER NOT NULL,
          returned INTEGER NOT NULL, refused_by_minute INTEGER NOT NULL DEFAULT 0,
          refused_by_month INTEGER NOT NULL DEFAULT 0, saved INTEGER NOT NULL, PRIMARY KEY (account_id, period)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO months VALUES ('acc_a', '${PERIOD}', 5, 1, 0, 0, 6);
        PRAGMA user_version = 1;
      `),
    );
    const meter = open();
    await countTimes(meter, 1, drawOf('acc_a'));
    expect((await readingOf(meter, 'acc_a')).month.totals).to.deep.equal({ counted: 6, returned: 1 });
  });

  const step = fc.record({
    what: fc.constantFrom('count', 'count', 'count', 'giveBack', 'fold', 'pass', 'known', 'seed'),
    by: fc.nat(1),
    account: fc.nat(2),
    costsQuota: fc.boolean(),
    amount: fc.integer({ min: 1, max: 8 }),
  });

  it('counts as the model does, whichever process is asked and whenever it is folded', async function () {
    this.timeout(120_000);
    const shared = [open(), open()] as const;
    const model = createMemoryMeter(() => nowMs);
    let runs = 0;
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      runs += 1;
      const receipts: Receipt[] = [];
      for (const { what, by, account, costsQuota, amount } of steps) {
        const accountId = `acc_${runs}_${account}`;
        const both = async <T>(ask: (meter: Meter) => Promise<T>): Promise<T> => {
          const [answer, wanted] = [await ask(shared[by === 0 ? 0 : 1]), await ask(model)];
          expect(answer).to.deep.equal(wanted);
          return answer;
        };
        const allowance = { perMinute: amount + 4, perMonth: 3 * amount };
        const draw = drawOf(accountId, { allowance, costsQuota, keyId: `key_${amount}` });
        const totals = { counted: amount, returned: 0 };
        if (what === 'pass') nowMs += amount * 9_000;
        if (what === 'fold') await shared[by === 0 ? 0 : 1].unsaved(1);
        if (what === 'seed') await both((meter) => meter.seed({ accountId, period: PERIOD, totals }));
        if (what === 'count' || what === 'known') {
          const known = what === 'known' ? { period: PERIOD, totals } : null;
          const counted = await both((meter) => meter.count(draw, known));
          if (counted.kind === 'counted' && costsQuota) receipts.push(counted.receipt);
        }
        const receipt = what === 'giveBack' ? receipts.shift() : undefined;
        if (receipt !== undefined) await both((meter) => meter.giveBack(receipt));
        await both((meter) => meter.read(accountId, allowance, null));
        const day = { fromMs: NOON, toMs: NOON + 24 * HOUR_MS };
        const asked = { accountId, ...day, bucket: 'hour', limit: 1_000 } as const;
        if (what === 'fold') {
          const rows = await both(async (meter) =>
            (await meter.history({ ...asked, groupBy: 'key' })).toSorted((a, b) =>
              `${a.startMs} ${a.group}` < `${b.startMs} ${b.group}` ? -1 : 1,
            ),
          );
          expect(rows.every(({ requests }) => requests > 0)).to.equal(true);
        }
      }
      nowMs += 120_000;
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
