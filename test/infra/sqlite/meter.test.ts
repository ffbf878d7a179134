import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteMeter } from '../../../infra/sqlite/meter.ts';
import { DAYS_KEPT_DAYS, HOURS_KEPT_DAYS, type Meter, MeterUnavailable } from '../../../src/ports/meter.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const DAY_MS = 24 * 3_600_000;
const allowance = { perMinute: 10, perMonth: 10 };
const draw = { accountId: 'acc_a', keyId: 'key_a', operation: 'listTools', allowance, costsQuota: true };

async function begin(meter: Meter): Promise<void> {
  const asked = await meter.count(draw, null);
  if (asked.kind !== 'unseeded') throw new Error('it knows an account that never came');
  await meter.seed({ accountId: 'acc_a', period: asked.period, totals: { counted: 0, returned: 0 } });
}

/** A request an hour by each of so many keys, in the hours before a time. */
function fillHours(db: Database.Database, beforeMs: number, hours: number, keys: number): void {
  const insert = db.prepare('INSERT INTO hours VALUES (?, ?, ?, ?, 1)');
  db.transaction(() => {
    for (let hour = 1; hour <= hours; hour += 1)
      for (let key = 0; key < keys; key += 1)
        insert.run('acc_full', beforeMs - hour * 3_600_000, `key_${key}`, 'listTools');
  })();
}

describe('A meter in SQLite', () => {
  it('keeps the whole of the month in which the oldest day is, and nothing before it', async () => {
    const folder = await tempFolder();
    const end = Date.parse('2026-11-30T12:00:00.000Z');
    let nowMs = end;
    const { meter, close } = openSqliteMeter(folder.file('meter.db'), () => nowMs);
    const [kept, tooOld] = [Date.parse('2026-11-01T00:00:00.000Z'), Date.parse('2026-10-01T00:00:00.000Z')];
    for (nowMs of [tooOld, kept]) {
      const period = new Date(nowMs).toISOString().slice(0, 7);
      await meter.seed({ accountId: 'acc_a', period, totals: { counted: 0, returned: 0 } });
      await meter.count(draw, null);
    }
    nowMs = end + DAYS_KEPT_DAYS * DAY_MS;
    await meter.prune();
    const asked = { accountId: 'acc_a', fromMs: tooOld, toMs: end, limit: 100 };
    const rows = await meter.history({ ...asked, bucket: 'day', groupBy: 'key' });
    await close();
    await folder.remove();
    expect(rows).to.deep.equal([{ startMs: kept, group: 'key_a', requests: 1 }]);
  });

  it('counts while it reads a long history', async () => {
    const folder = await tempFolder();
    const path = folder.file('meter.db');
    const { meter, close } = openSqliteMeter(path);
    const nowMs = Date.parse('2026-11-30T00:00:00.000Z');
    await begin(meter);
    const db = new Database(path);
    fillHours(db, nowMs, 400 * 24, 30);
    db.close();
    const asked = { accountId: 'acc_full', fromMs: nowMs - 400 * DAY_MS, toMs: nowMs, limit: 10_001 };
    const history = () => meter.history({ ...asked, bucket: 'hour', groupBy: 'key' });
    // Its worker takes a while to start.
    await meter.history({ ...asked, bucket: 'day', groupBy: 'key', limit: 1 });
    let [isOver, counted] = [false, 0];
    const reading = history().finally(() => (isOver = true));
    while (!isOver) {
      await meter.count(draw, null);
      if (!isOver) counted += 1;
    }
    const rows = await reading;
    const months = await meter.history({ ...asked, bucket: 'month', groupBy: 'operation' });
    await close();
    await folder.remove();
    expect(counted, 'while the history was read').to.be.at.least(2);
    expect(rows).to.have.lengthOf(asked.limit);
    expect(months.reduce((sum, { requests }) => sum + requests, 0)).to.equal(400 * 24 * 30);
  });

  it('has the days of a file that an older program left, forgets its old hours in parts, and counts on', async () => {
    const folder = await tempFolder();
    const path = folder.file('meter.db');
    const first = openSqliteMeter(path);
    await begin(first.meter);
    await first.close();
    const nowMs = Date.now() - (Date.now() % DAY_MS);
    const db = new Database(path);
    db.exec('DROP TRIGGER hours_begun; DROP TRIGGER hours_changed; DROP TABLE days; PRAGMA user_version = 2');
    fillHours(db, nowMs, 100 * 24, 6);
    const { meter, close } = openSqliteMeter(path);
    const asked = { accountId: 'acc_full', fromMs: nowMs - 100 * DAY_MS, toMs: nowMs, limit: 1_000 };
    const days = () => meter.history({ ...asked, bucket: 'day', groupBy: 'operation' });
    const expected = Array.from({ length: 100 }, (_, day) => nowMs - (100 - day) * DAY_MS).map((startMs) => ({
      startMs,
      group: 'listTools',
      requests: 24 * 6,
    }));
    expect(await days()).to.deep.equal(expected);
    await meter.prune();
    expect(await days(), 'once old hours are forgotten').to.deep.equal(expected);
    const [left] = db.prepare('SELECT count(*) FROM hours').pluck().all();
    db.close();
    await close();
    await folder.remove();
    expect(left).to.be.within((HOURS_KEPT_DAYS + 1) * 24 * 6, (HOURS_KEPT_DAYS + 2) * 24 * 6);
  });

  it('fails what cannot be sent to its worker, and goes on with what comes next', async () => {
    const folder = await tempFolder();
    const { meter, close } = openSqliteMeter(folder.file('meter.db'));
    const noData = { ...draw, keyId: (() => 0) as never };
    const failure = await rejectionOf(meter.count(noData, null));
    const next = await meter.count(draw, null);
    await close();
    await folder.remove();
    expect(failure).to.be.instanceOf(MeterUnavailable);
    expect(next).to.include({ kind: 'unseeded' });
  });
});
