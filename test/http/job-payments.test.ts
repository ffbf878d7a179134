/** What is paid for jobs, and what becomes of drafts that nobody pays. */
import { expect } from 'chai';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { expireDueDrafts } from '../../src/operations/jobs/expire-due-drafts.ts';
import { reportPaymentFailed, reportPaymentPending } from '../../src/operations/jobs/receive-payment.ts';
import { type JobApi, now, payFor, startJobApi, tomorrow } from '../support/job-flows.ts';
import { readAll } from '../support/event-log.ts';

describe('Payments for jobs over HTTP', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const cause = () => ({ at: now(), requestId: 'test' });
  const typesOf = async (jobId: string): Promise<string[]> =>
    (await readAll(api.services.events, `job-${jobId}`)).map(({ type }) => type);
  const until = async (jobId: string, type: string): Promise<void> => {
    while (!(await typesOf(jobId)).includes(type)) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  describe('a payment that stays pending', () => {
    const begin = async (): Promise<string> => {
      const jobId = await api.draft();
      const payment = { provider: 'test', reference: `unknown-${jobId}` } as const;
      await reportPaymentPending(api.services, jobId, payment, { at: now(), requestId: 'test' });
      return jobId;
    };
    const settle = (jobId: string, outcome: string, key = api.operator) =>
      api.post(`/v1/operator/jobs/${jobId}/settle-payment`, { outcome, reason: 'The bank says so.' }, key);

    it('is settled by an operator either way, with the reason on record', async () => {
      const paid = await begin();
      expect((await settle(paid, 'paid')).body.data).to.deep.include({ status: 'funded' });
      expect((await settle(paid, 'paid')).body.error.code).to.equal('job_state');
      const unpaid = await begin();
      expect((await settle(unpaid, 'not_paid')).status).to.equal(200);
      expect(await api.job(unpaid)).not.to.have.any.keys('paymentState');
      const events = await readAll(api.services.events, `job-${unpaid}`);
      const settled = events.find(({ type }) => type === 'PendingPaymentSettled');
      expect(settled?.data).to.deep.include({ outcome: 'not_paid', reason: 'The bank says so.' });
      expect(settled?.meta.actor).to.equal(`key:${api.operator.keyId}`);
      expect((await api.post(`/v1/jobs/${unpaid}/cancel`, {}, api.buyer)).status).to.equal(200);
    });

    it('is settled by nobody else', async () => {
      expect((await settle(await begin(), 'paid', api.buyer)).body.error.code).to.equal('scope_missing');
    });
  });

  describe('payments', () => {
    it('for a draft that is over is recorded, given back, and told twice recorded once', async () => {
      for (const status of ['expired', 'cancelled'] as const) {
        const jobId = await api.jobIn(status);
        await Promise.all([payFor(api, jobId), payFor(api, jobId)]);
        await until(jobId, 'PaymentReturned');
        await payFor(api, jobId);
        expect((await typesOf(jobId)).slice(2)).to.deep.equal(['SurplusPaymentReceived', 'PaymentReturned']);
        expect((await api.job(jobId)).status).to.equal(status);
      }
    });

    it('of a refunded job goes back once', async () => {
      const jobId = await api.jobIn('refunded');
      await until(jobId, 'PaymentReturned');
      expect((await typesOf(jobId)).filter((type) => type === 'PaymentReturned')).to.have.length(1);
    });

    it('whose outcome is unknown is pending: not failed, not asked for again, not expired', async () => {
      const jobId = await api.draft();
      const begun = { provider: 'test', reference: `pi-${jobId}` } as const;
      await reportPaymentPending(api.services, jobId, begun, cause());
      expect(await api.job(jobId)).to.include({ status: 'draft', paymentState: 'pending', fundingUrl: null });
      await api.services.projector.caughtUp();
      await expireDueDrafts(api.services, tomorrow());
      expect((await api.job(jobId)).status).to.equal('draft');
      const cancel = await api.post(`/v1/jobs/${jobId}/cancel`, {}, api.buyer);
      expect([cancel.status, cancel.body.error.code]).to.deep.equal([409, 'job_state']);

      await payFor(api, jobId, begun.reference);
      const paid = await api.job(jobId);
      expect(paid.status).to.equal('funded');
      expect(paid).not.to.have.property('paymentState');
    });

    it('that came to nothing can be made again', async () => {
      const jobId = await api.draft();
      const begun = { provider: 'test', reference: `pi-${jobId}` } as const;
      await reportPaymentPending(api.services, jobId, begun, cause());
      await reportPaymentFailed(api.services, jobId, begun, 'declined', cause());
      const job = await api.job(jobId);
      expect(job).not.to.have.property('paymentState');
      expect(job.fundingUrl).to.be.a('string');
    });
  });

  describe('expiry', () => {
    it('ends each draft once, also when two nodes do it, and gives its spend back once', async () => {
      const key = await api.newKey({ scopes: ['trials:create', 'jobs:read', 'mandate:read'] });
      const jobId = await api.draft(key);
      await api.services.projector.caughtUp();
      await Promise.all([
        expireDueDrafts(api.services, tomorrow()),
        expireDueDrafts(api.services, tomorrow()),
      ]);
      expect(await typesOf(jobId)).to.deep.equal(['TrialDrafted', 'JobExpired']);
      const { state } = await api.services.commands.load(mandateDecider, key.mandateId, now());
      expect(state).to.include({ spentCents: 0, spendCount: 0 });
    });

    it('leaves drafts that are not due', async () => {
      const jobId = await api.draft();
      await api.services.projector.caughtUp();
      await expireDueDrafts(api.services, now());
      expect((await api.job(jobId)).status).to.equal('draft');
    });
  });
});
