/** A mandate that a fast clock has carried months ahead, and an operator who puts it right: no cap is passed by it. */
import { expect } from 'chai';
import { type MandateCommand, mandateDecider } from '../../commands/mandate/mandate.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import { correctPeriod } from '../../src/operations/mandates/change-mandate.ts';
import { lastRevisionAt } from '../../src/operations/mandates/last-revision-at.ts';
import { auditMandate } from '../../src/audit/audit-mandate.ts';
import { exportLog } from '../../src/audit/export-log.ts';
import { verifyExport } from '../../src/audit/verify-export.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readAll } from '../support/event-log.ts';
import { type MemoryMarket, openMemoryMarket } from '../support/memory-market.ts';
import { call, soundAudit, spendOf, tell } from '../support/run-commands.ts';
import { terms } from '../support/sample-mandate.ts';

const NOVEMBER_10 = '2026-11-10T12:00:00.000Z';
const FAST = '2027-03-05T10:00:00.000Z';
const NOVEMBER_29 = '2026-11-29T12:00:00.000Z';
const NOVEMBER_30 = '2026-11-30T12:00:00.000Z';
const DECEMBER = '2026-12-02T12:00:00.000Z';
const MARCH = '2027-03-02T12:00:00.000Z';
const REASON = 'The clock was four months fast.';

describe('A mandate that a fast clock has carried into a later month', () => {
  let market: MemoryMarket;
  let keyId: string;
  let mandateId: string;
  beforeEach(async () => {
    market = await openMemoryMarket();
    const made = await createKey(
      market.services,
      {
        account: 'acme',
        name: 'Buyer',
        scopes: ['trials:create'],
        agency: null,
        terms: terms({ maxMonthlyCents: 1_000, maxPerTransactionCents: 1_000, expiresAt: null }),
      },
      { at: NOVEMBER_10, actor: 'cli', requestId: 'test' },
    );
    if (!made.ok) throw new Error(made.refusal.message);
    ({ keyId, mandateId } = made.created);
    expect(await spend(600, NOVEMBER_10)).to.equal('accepted');
    expect(await spend(300, FAST)).to.equal('accepted');
  });
  afterEach(() => market.close());

  const spend = async (cents: number, at: string): Promise<string> =>
    (await tell(market.services.commands, mandateId, spendOf(cents), { at })).kind;
  const putRight = (period = '2026-11', at = NOVEMBER_29) =>
    correctPeriod(market.services, keyId, { period, reason: REASON }, call({ at }));
  const standing = async () => (await soundAudit(market.services.events, mandateId)).state;
  const lastSpend = async () => {
    let found: { readonly revision: number; readonly spendId: string; readonly jobId: string } | undefined;
    for (const { type, revision, data } of await readAll(market.services.events, `mandate-${mandateId}`)) {
      if (type !== 'MandateSpent') continue;
      const { spendId, order } = data as { spendId: string; order: { jobId: string } };
      found = { revision, spendId, jobId: order.jobId };
    }
    if (found === undefined) throw new Error('nobody spent');
    return found;
  };
  const releaseOf = (
    { revision, spendId, jobId }: Awaited<ReturnType<typeof lastSpend>>,
    period: string,
    amountCents: number,
  ): MandateCommand => ({
    type: 'ReleaseSpend',
    spendId,
    jobId,
    period,
    revision,
    amountCents,
    reason: 'job_cancelled',
  });

  it('counts in the real month all that was counted since it began, and each later month for itself', async () => {
    const corrected = await putRight();
    expect(corrected.ok && corrected.mandate).to.include({
      period: '2026-11',
      spentCents: 900,
      spendCount: 2,
    });
    expect(await spend(200, NOVEMBER_30)).to.equal('rejected');
    expect(await spend(100, NOVEMBER_30)).to.equal('accepted');
    expect(await spend(1, NOVEMBER_30)).to.equal('rejected');
    expect(await spend(1_000, DECEMBER)).to.equal('accepted');
    expect(await spend(1, DECEMBER)).to.equal('rejected');
    expect(await spend(1_000, MARCH)).to.equal('accepted');
    expect(await spend(1, MARCH)).to.equal('rejected');
    const { periods } = await soundAudit(market.services.events, mandateId);
    expect([...periods].map(([month, { netCents }]) => [month, netCents])).to.deep.equal([
      ['2026-11', 1_000],
      ['2026-12', 1_000],
      ['2027-03', 1_000],
    ]);
  });

  it('gives back to no later month what was spent under the fast clock', async () => {
    const early = await lastSpend();
    await putRight();
    expect(await spend(1_000, MARCH)).to.equal('accepted');
    await tell(market.services.commands, mandateId, releaseOf(early, '2027-03', 300), { at: MARCH });
    expect(await spend(1, MARCH)).to.equal('rejected');
    const own = await lastSpend();
    await tell(market.services.commands, mandateId, releaseOf(own, '2027-03', 1_000), { at: MARCH });
    expect(await spend(1_000, MARCH), 'its own spends are').to.equal('accepted');
    await soundAudit(market.services.events, mandateId);
  });

  it('goes by the real time again: what ends in December does not end before', async () => {
    const ends = { type: 'AmendMandate', changes: { expiresAt: DECEMBER } } as const;
    await tell(market.services.commands, mandateId, ends, { at: FAST });
    expect(await spend(1, NOVEMBER_29)).to.equal('rejected');
    await putRight();
    expect(await spend(1, NOVEMBER_30)).to.equal('accepted');
    expect(await spend(1, DECEMBER)).to.equal('rejected');
  });

  it('is known as it was at each moment, also to a process that had it in memory', async () => {
    const other = createCommandRunner(market.services.events);
    expect((await tell(other, mandateId, spendOf(1), { at: FAST })).kind).to.equal('accepted');
    await putRight();
    expect((await tell(other, mandateId, spendOf(99), { at: NOVEMBER_30 })).kind).to.equal('accepted');
    expect((await tell(other, mandateId, spendOf(1), { at: NOVEMBER_30 })).kind).to.equal('rejected');
    const { services } = market;
    const revisionAt = (asOf: string) => lastRevisionAt(services, mandateId, asOf, NOVEMBER_30);
    expect(await revisionAt('2026-11-20T00:00:00.000Z')).to.equal(1);
    expect(await revisionAt('2026-11-29T23:00:00.000Z')).to.equal(5);
    expect(await revisionAt(NOVEMBER_30)).to.equal(6);
  });

  it('is put right with its snapshots, and in an export that verifies', async () => {
    await tell(
      market.services.commands,
      mandateId,
      { type: 'AmendMandate', changes: { maxMonthlyCents: 100_000 } },
      { at: FAST },
    );
    for (let count = 0; count < 120; count += 1) await spend(1, FAST);
    await putRight();
    for (let count = 0; count < 120; count += 1) await spend(1, NOVEMBER_30);
    const state = await standing();
    expect(state).to.include({ period: '2026-11', spentCents: 1_140, spendCount: 242 });
    const loaded = await createCommandRunner(market.services.events).loadAt(
      mandateDecider,
      mandateId,
      (await soundAudit(market.services.events, mandateId)).events - 1,
      NOVEMBER_30,
    );
    expect(loaded).to.deep.equal(state);
    const lines: string[] = [];
    for await (const line of exportLog(market.services.events, {
      exportedAt: NOVEMBER_30,
      withClearText: false,
    }))
      lines.push(line.slice(0, -1));
    expect((await verifyExport(lines)).findings).to.deep.equal([]);
  });

  it('is put right to no other month than that of the clock, to no later one, and not twice', async () => {
    for (const [period, at] of [
      ['2026-12', NOVEMBER_29],
      ['2026-10', NOVEMBER_29],
      ['2027-03', FAST],
      ['2027-04', '2027-04-01T00:00:00.000Z'],
    ] as const)
      expect(await putRight(period, at), period).to.deep.include({ ok: false });
    expect(await putRight()).to.deep.include({ ok: true });
    expect(await putRight()).to.deep.include({ ok: false });
    expect(await standing()).to.include({ period: '2026-11', spentCents: 900 });
  });

  it('is left alone by whoever read it before somebody spent', async () => {
    const read = { revision: 3, period: '2027-03', spentCents: 300, spendCount: 1, eventsSinceSnapshot: 1 };
    const command = {
      type: 'CorrectMandatePeriod',
      period: '2026-11',
      spentCents: 900,
      spendCount: 2,
      read,
      reason: REASON,
    } as const;
    await spend(50, FAST);
    const { commands } = market.services;
    const outcome = await tell(commands, mandateId, command, { at: NOVEMBER_29 });
    expect(outcome).to.deep.include({ kind: 'rejected', rejection: { kind: 'changed' } });
    expect(await standing()).to.include({ period: '2027-03', spentCents: 350 });
  });

  it('is found out when its sums are not what was counted', async () => {
    const read = { revision: 3, period: '2027-03', spentCents: 300, spendCount: 1, eventsSinceSnapshot: 1 };
    const lie = {
      type: 'CorrectMandatePeriod',
      period: '2026-11',
      spentCents: 0,
      spendCount: 0,
      read,
      reason: REASON,
    } as const;
    const told = await tell(market.services.commands, mandateId, lie, { at: NOVEMBER_29 });
    expect(told.kind).to.equal('accepted');
    const { findings } = await auditMandate(market.services.events, mandateId, null);
    expect(findings.map(({ problem }) => problem)).to.deep.equal([
      'it carries another spentCents',
      'it carries another spendCount',
    ]);
  });
});
