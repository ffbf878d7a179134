import { expect } from 'chai';
import { usageDecider, usageId } from '../../../commands/usage/usage.ts';
import { PLANS } from '../../../commands/subscription/plans.ts';
import { memoryCheckpoints } from '../../contract/memory/checkpoints.ts';
import { createMemoryMeter } from '../../contract/memory/meter.ts';
import { changePlan } from '../../../src/operations/plans/change-plan.ts';
import { addEndpoint } from '../../../src/operations/webhooks/change-endpoint.ts';
import { whenJobChangedNotify } from '../../../src/reactions/when-job-changed-notify.ts';
import { type Reactor, startReactor } from '../../../src/background/reactor.ts';
import { checkpointAll } from '../../../src/tasks/checkpoint-usage.ts';
import { startApi, type TestApi, type TestKey } from '../../support/api.ts';
import { readAll } from '../../support/event-log.ts';
import { until } from '../../support/until.ts';

const now = (): string => new Date().toISOString();

describe('Thresholds of a quota', () => {
  let api: TestApi;
  let reactor: Reactor;
  before(async () => {
    api = await startApi();
    const { services } = api;
    reactor = startReactor({
      events: services.events,
      checkpoints: memoryCheckpoints(),
      reactions: [whenJobChangedNotify(services)],
      isSkipped: async () => false,
      onError: () => {},
    });
  });
  after(async () => {
    await reactor.stop();
    await api.close();
  });

  let accounts = 0;
  /** An account with the smallest plan, of whose quota so much is used, and with an endpoint that wants to know. */
  async function starter(counted: number) {
    const { services } = api;
    const key = await api.newKey({ account: `starter-${(accounts += 1)}`, scopes: ['data:read'] });
    const { accountId } = key;
    const at = now();
    const call = { at, actor: 'cli', requestId: 'test', commandId: `begin-${accountId}` };
    await changePlan(services, accountId, { type: 'ChoosePlan', plan: 'starter' }, call);
    const totals = { counted, returned: 0 };
    const used = { type: 'CheckpointUsage', accountId, period: at.slice(0, 7), totals } as const;
    await services.commands.run(usageDecider, usageId(accountId, used.period), used, call);
    const endpoint = { url: 'https://buyer.example/', types: ['quota.threshold'] as const, description: '' };
    const added = await addEndpoint(services, accountId, { ...endpoint, types: [...endpoint.types] }, call);
    if (!added.ok) throw new Error(added.refusal.message);
    return { key, endpointId: added.endpoint.endpointId };
  }
  const admit = ({ accountId, keyId }: TestKey) =>
    api.services.metering.admit({
      caller: { accountId, keyId },
      operation: 'listTools',
      costsQuota: true,
      at: now(),
    });
  async function crossed(key: TestKey): Promise<readonly unknown[]> {
    const events = await readAll(api.services.events, `subscription-${key.accountId}`);
    return events.flatMap(({ type, data }) => (type === 'QuotaThresholdCrossed' ? [data] : []));
  }
  async function told({ key, endpointId }: Awaited<ReturnType<typeof starter>>): Promise<readonly unknown[]> {
    const of = { accountId: key.accountId, endpointId, limit: 100 };
    return (await api.services.deliveries.list(of)).map(({ type, body }) => [
      type,
      JSON.parse(body).data.percent,
    ]);
  }

  it('are told once, however many requests reach one at once', async () => {
    const account = await starter(7_990);
    await Promise.all(Array.from({ length: 20 }, () => admit(account.key)));
    await until('it is told', async () => (await told(account)).length > 0);
    await admit(account.key);
    await api.services.commands.idle();
    expect(await crossed(account.key)).to.have.lengthOf(1);
    expect(await told(account)).to.deep.equal([['quota.threshold', 80]]);
  });

  it('are each told where one request comes to both', async () => {
    const account = await starter(9_999);
    const admission = await admit(account.key);
    expect(admission.kind).to.equal('admitted');
    await until('both are told', async () => (await told(account)).length === 2);
    expect(await crossed(account.key)).to.deep.include.members([
      {
        accountId: account.key.accountId,
        plan: 'starter',
        period: now().slice(0, 7),
        percent: 100,
        limit: 10_000,
        used: 10_000,
      },
    ]);
    expect(await told(account)).to.have.deep.members([
      ['quota.threshold', 80],
      ['quota.threshold', 100],
    ]);
  });

  it('are told also where no request passes any more, as after a change to a smaller plan', async () => {
    const account = await starter(12_000);
    const admission = await admit(account.key);
    expect(admission.kind).to.equal('refused');
    await until('both are told', async () => (await told(account)).length === 2);
  });

  describe('whose note failed', () => {
    const december = Date.parse('2026-12-01T00:05:00.000Z');
    /** November came to its quota, and the checkpoint comes at `nowMs`. */
    async function checkpointedAt(nowMs: number) {
      const account = await starter(0);
      const { accountId } = account.key;
      const meter = createMemoryMeter(() => Date.parse('2026-11-30T23:59:59.000Z'));
      await meter.seed({ accountId, period: '2026-11', totals: { counted: 9_999, returned: 0 } });
      const draw = {
        accountId,
        keyId: 'key_a',
        operation: 'listTools',
        allowance: PLANS.pro,
        costsQuota: true,
      };
      await meter.count(draw, null);
      await checkpointAll(api.services, meter, nowMs);
      return account.key;
    }

    it('are noted with the next checkpoint', async () => {
      expect(await crossed(await checkpointedAt(december - 6 * 60_000))).to.have.lengthOf(2);
    });

    it('are noted of no month that is over: the plan may have been another one', async () => {
      expect(await crossed(await checkpointedAt(december))).to.deep.equal([]);
    });
  });
});
