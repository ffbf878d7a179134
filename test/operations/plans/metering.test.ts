/** What others' customers complained of in public, tried on the whole of metering above its engine. */
import { expect } from 'chai';
import { PLANS } from '../../../commands/subscription/plans.ts';
import { createMemoryMeter } from '../../contract/memory/meter.ts';
import { idFrom } from '../../../events/ids.ts';
import type { PlanName } from '../../../events/plan.ts';
import { changePlan, type PlanChange } from '../../../src/operations/plans/change-plan.ts';
import type { Admission, Metering } from '../../../src/operations/metering.ts';
import { createMetering } from '../../../src/operations/plans/metering.ts';
import type { Meter } from '../../../src/ports/meter.ts';
import { checkpointAll } from '../../../src/tasks/checkpoint-usage.ts';
import { startApi, type TestApi, type TestKey } from '../../support/api.ts';
import { readAll } from '../../support/event-log.ts';

const now = (): string => new Date().toISOString();

describe('Metering', () => {
  let api: TestApi;
  let meter: Meter;
  let metering: Metering;
  before(async () => (api = await startApi()));
  after(() => api.close());
  beforeEach(() => {
    meter = createMemoryMeter();
    metering = onMeter(meter);
  });

  const onMeter = (engine: Meter): Metering =>
    createMetering({ ...api.services, meter: engine, noteThresholds: () => {} });

  let accounts = 0;
  async function account(plan?: PlanName): Promise<TestKey> {
    const key = await api.newKey({ account: `metered-${(accounts += 1)}`, scopes: ['data:read'] });
    if (plan !== undefined) await change(key, { type: 'ChoosePlan', plan });
    return key;
  }
  let changes = 0;
  async function change({ accountId }: TestKey, wanted: PlanChange): Promise<void> {
    const call = { at: now(), actor: 'cli', requestId: 'test', commandId: `change-${(changes += 1)}` };
    const changed = await changePlan(api.services, accountId, wanted, call);
    if (!changed.ok) throw new Error(changed.refusal.message);
  }
  const admit = ({ accountId, keyId }: TestKey, by = metering, operation = 'listTools'): Promise<Admission> =>
    by.admit({ caller: { accountId, keyId }, operation, costsQuota: true, at: now() });
  async function use({ accountId }: TestKey, counted: number): Promise<void> {
    await meter.seed({ accountId, period: now().slice(0, 7), totals: { counted, returned: 0 } });
  }
  const codeOf = (admission: Admission) =>
    admission.kind === 'admitted' ? 'admitted' : admission.refusal.code;

  it('refuses an account without a plan', async () => {
    expect(codeOf(await admit(await account()))).to.equal('plan_required');
  });

  it('lets an account whose quota is used up go on with the next request after an upgrade', async () => {
    const key = await account('starter');
    await use(key, PLANS.starter.perMonth);
    expect(codeOf(await admit(key))).to.equal('quota_exceeded');
    await change(key, { type: 'ChangePlan', plan: 'pro' });
    const admission = await admit(key);
    expect(admission).to.deep.include({ kind: 'admitted', plan: PLANS.pro });
  });

  it('keeps what was used after a change to a smaller plan, and lets it go on when it fits again', async () => {
    const key = await account('pro');
    await use(key, 20_000);
    await change(key, { type: 'ChangePlan', plan: 'starter' });
    expect(codeOf(await admit(key))).to.equal('quota_exceeded');
    expect((await metering.usage(key.accountId, now()))?.reading.month.totals.counted).to.equal(20_000);
    await change(key, { type: 'ChangePlan', plan: 'pro' });
    expect(codeOf(await admit(key))).to.equal('admitted');
  });

  it('refills nothing when a plan is cancelled and bought again', async () => {
    const key = await account('starter');
    await use(key, PLANS.starter.perMonth);
    await change(key, { type: 'CancelPlan' });
    expect(codeOf(await admit(key))).to.equal('plan_required');
    await change(key, { type: 'ChoosePlan', plan: 'starter' });
    expect(codeOf(await admit(key))).to.equal('quota_exceeded');
  });

  it('gives an account no more by more keys', async () => {
    const key = await account('starter');
    const keys = [key, { ...key, keyId: 'key_second' }, { ...key, keyId: 'key_third' }];
    const asked = Array.from({ length: 90 }, (_, i) => admit(keys[i % 3]!));
    const admitted = (await Promise.all(asked)).filter(({ kind }) => kind === 'admitted');
    expect(admitted).to.have.lengthOf(PLANS.starter.perMinute);
  });

  it('says which limit stopped a request, and when it lets the next one pass', async () => {
    const key = await account('starter');
    await Promise.all(Array.from({ length: PLANS.starter.perMinute }, () => admit(key)));
    const byMinute = await admit(key);
    if (byMinute.kind !== 'refused') throw new Error('the minute is full');
    expect(byMinute.refusal.code).to.equal('rate_limited');
    expect(byMinute.refusal.retryAfterSeconds).to.be.within(1, 60);
    await use(key, PLANS.starter.perMonth);
    const byMonth = await admit(key);
    if (byMonth.kind !== 'refused') throw new Error('the month is used up');
    expect(byMonth.refusal.code).to.equal('quota_exceeded');
    const [year, month] = byMonth.reading.month.period.split('-').map(Number);
    const endsInMs = Date.UTC(year!, month!) - byMonth.reading.nowMs;
    expect(byMonth.refusal.retryAfterSeconds).to.equal(Math.ceil(endsInMs / 1_000));
  });

  it('gives a request back once, however often it is asked to', async () => {
    const key = await account('starter');
    const admission = await admit(key);
    if (admission.kind !== 'admitted') throw new Error('it was to be admitted');
    await Promise.all([admission.giveBack(), admission.giveBack()]);
    await admission.giveBack();
    const usage = await metering.usage(key.accountId, now());
    expect(usage?.reading.month.totals).to.deep.equal({ counted: 1, returned: 1 });
  });

  it('goes on from what this process has seen when the engine has lost its counts', async () => {
    const key = await account('pro');
    let engine = createMemoryMeter();
    const process = onMeter({
      ...engine,
      count: (...draw) => engine.count(...draw),
      seed: (month) => engine.seed(month),
    });
    for (let i = 0; i < 5; i += 1) await admit(key, process);
    engine = createMemoryMeter();
    const admission = await admit(key, process);
    if (admission.kind !== 'admitted') throw new Error('it was to be admitted');
    expect(admission.reading.month.totals.counted).to.equal(6);
  });

  it('keeps to the month of the engine also after its clock was ahead for a while', async () => {
    const key = await account('pro');
    const december = Date.parse('2026-12-01T00:00:00.000Z');
    let nowMs = december;
    let engine = createMemoryMeter(() => nowMs);
    const process = onMeter({
      ...engine,
      count: (...draw) => engine.count(...draw),
      seed: (month) => engine.seed(month),
    });
    await admit(key, process);
    nowMs = december - 1;
    for (let i = 0; i < 5; i += 1) await admit(key, process);
    engine = createMemoryMeter(() => nowMs);
    const admission = await admit(key, process);
    if (admission.kind !== 'admitted') throw new Error('it was to be admitted');
    expect(admission.reading.month).to.deep.equal({ period: '2026-11', totals: { counted: 6, returned: 0 } });
  });

  it('goes on from the checkpoints in the log when engine and process have lost theirs', async () => {
    const key = await account('pro');
    for (let i = 0; i < 7; i += 1) await admit(key);
    await checkpointAll(api.services, meter, Date.now());
    await checkpointAll(api.services, meter, Date.now());
    const kept = await readAll(api.services.events, `usage-${key.accountId}-${now().slice(0, 7)}`);
    expect(kept.map(({ data }) => ('totals' in data ? data.totals : null))).to.deep.equal([
      { counted: 7, returned: 0 },
    ]);
    const admission = await admit(key, onMeter(createMemoryMeter()));
    if (admission.kind !== 'admitted') throw new Error('it was to be admitted');
    expect(admission.reading.month.totals.counted).to.equal(8);
  });

  it('checkpoints all months that changed, however many', async () => {
    const totals = { counted: 0, returned: 0 };
    const draw = { keyId: 'key_a', operation: 'listTools', allowance: PLANS.pro, costsQuota: true };
    for (let i = 0; i < 1_100; i += 1) {
      const accountId = idFrom('account', now(), `many-${i}`);
      await meter.seed({ accountId, period: now().slice(0, 7), totals });
      await meter.count({ ...draw, accountId }, null);
    }
    await checkpointAll(api.services, meter, Date.now());
    expect(await meter.unsaved(10)).to.deep.equal([]);
  });

  describe('with an engine that was set back, as from an old copy of its data', () => {
    const december = Date.parse('2026-12-01T00:00:00.000Z');
    /** The log has 7 requests of the month, and the engine 2. */
    async function setBack(key: TestKey, nowMs = Date.now()): Promise<Meter> {
      const period = new Date(nowMs).toISOString().slice(0, 7);
      const all = createMemoryMeter(() => nowMs);
      for (let i = 0; i < 7; i += 1) await admit(key, onMeter(all));
      await checkpointAll(api.services, all, nowMs);
      const engine = createMemoryMeter(() => nowMs);
      await engine.seed({ accountId: key.accountId, period, totals: { counted: 2, returned: 0 } });
      return engine;
    }

    it('refills nothing when the process is new too', async () => {
      const key = await account('pro');
      const admission = await admit(key, onMeter(await setBack(key)));
      if (admission.kind !== 'admitted') throw new Error('it was to be admitted');
      expect(admission.reading.month.totals.counted).to.equal(8);
    });

    it('has it right in each answer of how an account stands', async () => {
      const key = await account('pro');
      const usage = await onMeter(await setBack(key)).usage(key.accountId, now());
      expect(usage?.reading.month.totals.counted).to.equal(7);
    });

    it('reads the checkpoint once, also where it has none', async () => {
      const key = await account('pro');
      await use(key, 2);
      let loads = 0;
      const { commands } = api.services;
      const counting: typeof commands.load = (...asked) => {
        loads += 1;
        return commands.load(...asked);
      };
      const counted: typeof commands = { ...commands, load: counting, within: () => counted };
      const process = createMetering({
        ...api.services,
        meter,
        commands: counted,
        noteThresholds: () => {},
      });
      for (let i = 0; i < 5; i += 1) await admit(key, process);
      expect(loads).to.equal(1);
    });

    it('goes on from the checkpoint when the process has seen the month before alone', async () => {
      const key = await account('pro');
      let nowMs = december - 1;
      let engine = createMemoryMeter(() => nowMs);
      const process = onMeter({
        ...engine,
        count: (...draw) => engine.count(...draw),
        seed: (month) => engine.seed(month),
      });
      await admit(key, process);
      nowMs = december;
      engine = await setBack(key, nowMs);
      await admit(key, process);
      const admission = await admit(key, process);
      if (admission.kind !== 'admitted') throw new Error('it was to be admitted');
      const totals = { counted: 8, returned: 0 };
      expect(admission.reading.month).to.deep.equal({ period: '2026-12', totals });
    });

    it('is put right by the next checkpoint', async () => {
      const key = await account('pro');
      const engine = await setBack(key);
      const { accountId, keyId } = key;
      const draw = { accountId, keyId, operation: 'listTools', allowance: PLANS.pro, costsQuota: true };
      await engine.count(draw, null);
      await checkpointAll(api.services, engine, Date.now());
      const read = await engine.read(accountId, PLANS.pro, null);
      if (read.kind === 'unseeded') throw new Error('it was seeded');
      expect(read.reading.month.totals).to.deep.equal({ counted: 7, returned: 0 });
      expect(await engine.unsaved(10)).to.deep.equal([]);
    });
  });
});
