/** What every DeliveryLog promises. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Attempt, DeliveryLog, NewDelivery } from '../../src/ports/delivery-log.ts';

export function deliveryLogContract(
  name: string,
  open: () => Promise<{ readonly log: DeliveryLog; readonly close: () => Promise<void> }>,
): void {
  describe(`DeliveryLog: ${name}`, () => {
    let log: DeliveryLog;
    let close: () => Promise<void>;
    let endpointId: string;

    before(async () => ({ log, close } = await open()));
    after(() => close());
    beforeEach(() => (endpointId = `whe_${randomUUID()}`));

    const delivery = (more: Partial<NewDelivery> = {}): NewDelivery => ({
      id: `dlv_${randomUUID()}`,
      accountId: 'acc_1',
      endpointId,
      eventId: 'evt_1',
      type: 'job.funded',
      jobId: 'job_1',
      url: 'https://buyer.example/hooks',
      body: '{}',
      createdAt: '2026-11-27T12:00:00.000Z',
      ...more,
    });
    const failure = (deliveryId: string, at: string): Attempt => ({
      deliveryId,
      endpointId,
      at,
      isTried: true,
      status: 500,
      error: 'HTTP 500',
      state: 'pending',
      nextAttemptAt: '2026-11-27T13:00:00.000Z',
    });

    it('keeps an entry once, and its last attempt', async () => {
      const one = delivery();
      await log.begin([one]);
      await log.begin([one]);
      await log.record(failure(one.id, '2026-11-27T12:00:01.000Z'));
      await log.begin([one]);
      expect(await log.get(one.id)).to.deep.equal({
        ...one,
        state: 'pending',
        attempts: 1,
        lastAttemptAt: '2026-11-27T12:00:01.000Z',
        lastStatus: 500,
        lastError: 'HTTP 500',
        nextAttemptAt: '2026-11-27T13:00:00.000Z',
      });
      expect(await log.get('dlv_none')).to.equal(null);
    });

    it('tells since when an endpoint fails, until it takes a message', async () => {
      const one = delivery();
      await log.begin([one]);
      const [first, second, third] = [1, 2, 3].map((n) => `2026-11-27T12:00:0${n}.000Z`);
      expect(await log.record(failure(one.id, first!))).to.equal(first);
      expect(await log.record(failure(one.id, second!))).to.equal(first);
      const success = { status: 204, error: null, state: 'delivered', nextAttemptAt: null } as const;
      expect(await log.record({ ...failure(one.id, third!), ...success })).to.equal(null);
      expect(await log.record(failure(one.id, third!))).to.equal(third);
    });

    it('counts no failure of an endpoint to which nothing was to be sent, and forgets none either', async () => {
      const one = delivery();
      await log.begin([one]);
      const [first, second, third] = [1, 2, 3].map((n) => `2026-11-27T12:00:0${n}.000Z`);
      const untried = { isTried: false, status: null, error: 'account frozen' };
      expect(await log.record({ ...failure(one.id, first!), ...untried })).to.equal(null);
      expect(await log.record(failure(one.id, second!))).to.equal(second);
      expect(await log.record({ ...failure(one.id, third!), ...untried })).to.equal(null);
      expect(await log.record(failure(one.id, third!))).to.equal(second);
      expect(await log.get(one.id)).to.include({ attempts: 2, lastAttemptAt: third });
    });

    it('counts as tries those alone in which something was to be sent, and shows why there was none', async () => {
      const [one, other] = [delivery(), delivery()];
      await log.begin([one, other]);
      const untried = { isTried: false, status: null, error: 'account frozen' };
      const at = '2026-11-27T12:00:01.000Z';
      await log.record({ ...failure(one.id, at), ...untried });
      expect(await log.get(one.id)).to.include({
        attempts: 0,
        lastAttemptAt: null,
        lastStatus: null,
        lastError: 'account frozen',
        nextAttemptAt: '2026-11-27T13:00:00.000Z',
      });
      await log.record(failure(other.id, at));
      await log.record({ ...failure(other.id, '2026-11-27T12:00:02.000Z'), ...untried });
      expect(await log.get(other.id)).to.include({
        attempts: 1,
        lastAttemptAt: at,
        lastError: 'account frozen',
      });
    });

    it('lists and counts those of one endpoint of one account, the newest first, page by page', async () => {
      const times = ['01', '03', '02', '02'].map((second) => `2026-11-27T12:00:${second}.000Z`);
      const all = times.map((createdAt) => delivery({ createdAt }));
      await log.begin([...all, delivery({ accountId: 'acc_2' }), delivery({ endpointId: 'whe_other' })]);
      const question = { accountId: 'acc_1', endpointId, limit: 3 };
      const page = await log.list(question);
      const rest = await log.list({ ...question, after: page.at(-1)! });
      const sorted = [...all].sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? 1 : -1));
      expect([...page, ...rest].map(({ id }) => id)).to.deep.equal(sorted.map(({ id }) => id));
      expect(await log.count({ accountId: 'acc_1', endpointId })).to.equal(all.length);
    });

    it('counts none where there are none', async () => {
      expect(await log.count({ accountId: 'acc_1', endpointId })).to.equal(0);
    });

    it('forgets what is old', async () => {
      const [old, young] = [delivery({ createdAt: '2025-01-01T00:00:00.000Z' }), delivery()];
      await log.begin([old, young]);
      await log.prune('2025-02-01T00:00:00.000Z');
      expect([await log.get(old.id), (await log.get(young.id))?.id]).to.deep.equal([null, young.id]);
    });
  });
}
