import { expect } from 'chai';
import { JOB_STATUSES } from '../../events/job-status.ts';
import { readView } from '../../src/operations/read-view.ts';
import { jobsProjection } from '../../projections/jobs.ts';
import { AGENT, type JobApi, payFor, startJobApi } from '../support/job-flows.ts';
import { readAll } from '../support/event-log.ts';

describe('Jobs over HTTP', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const revisionOf = async (jobId: string): Promise<number> =>
    (await readAll(api.services.events, `job-${jobId}`)).length;

  describe('every operation in every state: done, or 409 job_state and nothing changed', () => {
    const operations = {
      cancel: {
        from: ['draft', 'cancelled'],
        to: 'cancelled',
        run: (id: string) => api.post(`/v1/jobs/${id}/cancel`, {}, api.buyer),
      },
      start: { from: ['funded'], to: 'running', run: (id: string) => api.act('start', id) },
      complete: { from: ['running'], to: 'completed', run: (id: string) => api.act('complete', id) },
      fail: { from: ['running'], to: 'failed', run: (id: string) => api.act('fail', id) },
      refund: {
        from: ['funded', 'running'],
        to: 'refunded',
        run: (id: string) => api.post(`/v1/operator/jobs/${id}/refund`, { reason: 'test' }, api.operator),
      },
      attach: {
        from: ['running'],
        to: 'running',
        run: (id: string) =>
          api.send('PUT', `/v1/provider/jobs/${id}/artifacts/a.txt`, { ...api.agency, rawBody: 'text' }),
      },
      record: {
        from: ['funded', 'running', 'completed', 'failed', 'refunded'],
        to: null,
        run: async (id: string) => {
          const { recordWebhookUrl } = await api.job(id);
          return api.post(new URL(recordWebhookUrl ?? '').pathname, { recordId: 'R-1' });
        },
      },
    };
    for (const status of JOB_STATUSES) {
      for (const [name, { from, to, run }] of Object.entries(operations)) {
        const allowed = from.includes(status);
        it(`${name} of a ${status} job: ${allowed ? (to ?? 'taken') : 'refused'}`, async () => {
          const jobId = await api.jobIn(status);
          const before = await revisionOf(jobId);
          const answer = await run(jobId);
          if (allowed) {
            expect(answer.status, answer.text).to.be.oneOf([200, 202]);
            expect((await api.job(jobId)).status).to.equal(to ?? status);
          } else {
            expect([answer.status, answer.body.error.code]).to.deep.equal([409, 'job_state']);
            expect(answer.body.error.message).to.include(status);
            expect(await revisionOf(jobId)).to.equal(before);
          }
        });
      }
    }
  });

  describe('the brief', () => {
    const sent = (brief: string) => api.post('/v1/trials', { agent: AGENT, brief }, api.buyer);

    for (const brief of [
      '',
      ' ',
      '\n\t \n',
      '\u00a0\u200b',
      '\ufeff\u2060\u3000',
      'Match\u0000 them.',
      'a\u001b[31m',
      'a\u0085',
      '\u0000',
      `${'\u200b'.repeat(7_999)}\u0000`,
      `${'a'.repeat(7_999)}\u0000`,
    ])
      it(`is refused by name: ${JSON.stringify(brief.slice(-9))}, of ${brief.length}`, async () => {
        const { status, body } = await sent(brief);
        expect([status, body.error.code]).to.deep.equal([400, 'invalid_request']);
        expect(body.error.details?.[0]?.path).to.equal('brief');
      });

    for (const brief of [
      'x',
      '\n\u00a0\tMatch.\r\n\f\n- all\t\n',
      '\u200b突き合わせる',
      '👍',
      '\u200f\u0645',
    ])
      it(`is taken: ${JSON.stringify(brief)}`, async () => {
        const { status, text } = await sent(brief);
        expect(status, text).to.equal(201);
      });
  });

  describe('reading', () => {
    it('tells why a job failed, from the view as from the log', async () => {
      const jobId = await api.jobIn('failed');
      const failure = { code: 'unreadable', message: 'An image without text.' };
      expect(await api.job(jobId)).to.deep.include({ status: 'failed', failure });
      await api.services.projector.caughtUp();
      const shown = await readView(api.services.views, jobsProjection, jobId);
      expect(shown).to.deep.include({ status: 'failed', failure });
    });

    it('answers a cancelled job as it is to whoever cancels it again, and changes nothing', async () => {
      const jobId = await api.jobIn('cancelled');
      const before = await revisionOf(jobId);
      const { brief: _brief, inputs: _inputs, ...shown } = await api.job(jobId);
      const again = await api.post(`/v1/jobs/${jobId}/cancel`, {}, api.buyer);
      expect([again.status, again.body.data]).to.deep.equal([200, shown]);
      expect(await revisionOf(jobId)).to.equal(before);
    });

    it('says of a change whether it is the first answer or the same again', async () => {
      const jobId = await api.draft();
      const withdraw = async (key: string) => {
        const headers = { 'Idempotency-Key': key };
        const answer = await api.post(`/v1/jobs/${jobId}/withdraw-links`, {}, { ...api.buyer, headers });
        return [answer.status, answer.headers.get('Idempotent-Replayed')];
      };
      expect(await withdraw('one')).to.deep.equal([200, null]);
      const after = await revisionOf(jobId);
      expect(await withdraw('one')).to.deep.equal([200, 'true']);
      expect(await revisionOf(jobId)).to.equal(after);
      expect(await withdraw('two')).to.deep.equal([200, null]);
    });

    it('never misses what was just made', async () => {
      for (let i = 0; i < 20; i += 1) expect((await api.job(await api.draft())).status).to.equal('draft');
    });

    it('answers 304 to who has this revision, and anew after a change', async () => {
      const jobId = await api.draft();
      const first = await api.get(`/v1/jobs/${jobId}`, api.buyer);
      const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
      expect((await api.get(`/v1/jobs/${jobId}`, { ...api.buyer, headers })).status).to.equal(304);
      await api.post(`/v1/jobs/${jobId}/cancel`, {}, api.buyer);
      const changed = await api.get(`/v1/jobs/${jobId}`, { ...api.buyer, headers });
      expect([changed.status, changed.body.data.status]).to.deep.equal([200, 'cancelled']);
    });

    it('shows a job in a list as it shows it alone: to the buyer with its addresses, to the agency without', async () => {
      const jobId = await api.jobIn('funded');
      const started = (await api.act('start', jobId)).body.data;
      const { brief: _brief, inputs: _inputs, ...alone } = await api.job(jobId);
      // A list may lag a moment behind.
      await api.services.projector.caughtUp();
      for (const [path, key, shown] of [
        ['/v1/jobs', api.buyer, alone],
        ['/v1/provider/jobs', api.agency, started],
      ] as const) {
        const { data } = (await api.get(`${path}?status=running&limit=100`, key)).body;
        expect(data.find((job) => job['id'] === jobId)).to.deep.equal(shown);
      }
      expect(started).not.to.have.any.keys('recordWebhookUrl', 'metadata', 'accountId', 'keyId');
    });
  });

  describe('waiting', () => {
    it('ends with the change', async () => {
      const jobId = await api.draft();
      const waiting = api.get(`/v1/jobs/${jobId}?wait=30`, api.buyer);
      while (api.services.jobWatch.waiting() === 0) await new Promise(setImmediate);
      const [{ body }] = await Promise.all([waiting, api.post(`/v1/jobs/${jobId}/cancel`, {}, api.buyer)]);
      expect(body.data.status).to.equal('cancelled');
      expect(api.services.jobWatch.waiting()).to.equal(0);
    });

    it('ends with its time', async () => {
      const began = performance.now();
      const answer = await api.get(`/v1/jobs/${await api.draft()}?wait=1`, api.buyer);
      expect(answer.body.data.status).to.equal('draft');
      expect(performance.now() - began).to.be.within(900, 5_000);
    });

    it('is not for jobs that are over, nor for who has an older answer', async () => {
      const over = await api.jobIn('cancelled');
      expect((await api.get(`/v1/jobs/${over}?wait=60`, api.buyer)).status).to.equal(200);
      const jobId = await api.draft();
      const { headers } = await api.get(`/v1/jobs/${jobId}`, api.buyer);
      await payFor(api, jobId);
      const old = { 'If-None-Match': headers.get('ETag') ?? '' };
      const answer = await api.get(`/v1/jobs/${jobId}?wait=60`, { ...api.buyer, headers: old });
      expect(answer.body.data.status).to.equal('funded');
    });

    it('ends when the client goes', async () => {
      const jobId = await api.draft();
      const leaving = new AbortController();
      const waiting = fetch(`${api.url}/v1/jobs/${jobId}?wait=60`, {
        headers: { Authorization: `Bearer ${api.buyer.key}` },
        signal: leaving.signal,
      }).catch(() => 'gone');
      while (api.services.jobWatch.waiting() === 0) await new Promise(setImmediate);
      leaving.abort();
      expect(await waiting).to.equal('gone');
      while (api.services.jobWatch.waiting() > 0) await new Promise(setImmediate);
    });

    it('is bounded for each account', async () => {
      const jobId = await api.draft();
      const places = [];
      for (let i = 0; i < 100; i += 1)
        places.push(await api.services.jobWatch.take(api.buyer.accountId, `job-${jobId}`));
      const answer = await api.get(`/v1/jobs/${jobId}?wait=60`, api.buyer);
      expect([answer.status, answer.body.error.code]).to.deep.equal([429, 'rate_limited']);
      for (const place of places) place?.leave();
    });

    it('refuses times that are no whole seconds from 1 to 60', async () => {
      const jobId = await api.draft();
      for (const wait of ['0', '61', '1.5', 'long'])
        expect((await api.get(`/v1/jobs/${jobId}?wait=${wait}`, api.buyer)).status).to.equal(400);
    });
  });
});
