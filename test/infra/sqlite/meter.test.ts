import { expect } from 'chai';
import { openSqliteMeter } from '../../../infra/sqlite/meter.ts';
import { DAYS_KEPT_DAYS, MeterUnavailable } from '../../../src/ports/meter.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const DAY_MS = 24 * 3_600_000;

describe('A meter in SQLite', () => {
  it('keeps the whole of the month in which the oldest day is, and nothing before it', async () => {
    const folder = await tempFolder();
    const end = Date.parse('2026-11-30T12:00:00.000Z');
    let nowMs = end;
    const { meter, close } = openSqliteMeter(folder.file('meter.db'), () => nowMs);
    const allowance = { perMinute: 10, perMonth: 10 };
    const draw = { accountId: 'acc_a', keyId: 'key_a', operation: 'listTools', allowance, costsQuota: true };
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

  it('fails what cannot be sent to its worker, and goes on with what comes next', async () => {
    const folder = await tempFolder();
    const { meter, close } = openSqliteMeter(folder.file('meter.db'));
    const allowance = { perMinute: 10, perMonth: 10 };
    const draw = { accountId: 'acc_a', keyId: 'key_a', operation: 'listTools', allowance, costsQuota: true };
    const noData = { ...draw, keyId: (() => 0) as never };
    const failure = await rejectionOf(meter.count(noData, null));
    const next = await meter.count(draw, null);
    await close();
    await folder.remove();
    expect(failure).to.be.instanceOf(MeterUnavailable);
    expect(next).to.include({ kind: 'unseeded' });
  });
});
