import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { orderedJobSchema } from '../../src/operations/jobs/job-schema.ts';
import { receivePayment } from '../../src/operations/jobs/receive-payment.ts';
import { RECORDS_PER_MINUTE, ingestRecord } from '../../src/operations/records/ingest-record.ts';
import type { TestKey } from '../support/api.ts';
import { AGENT, type JobApi, now, startJobApi } from '../support/job-flows.ts';
import { readAll } from '../support/event-log.ts';

describe('RECORD_CREATED', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const jobOf = async (jobId: string, key: TestKey) =>
    orderedJobSchema.parse((await api.get(`/v1/jobs/${jobId}`, key)).body.data);
  const addressOf = async (jobId: string, key = api.buyer): Promise<string> =>
    new URL((await jobOf(jobId, key)).recordWebhookUrl ?? '').pathname;
  const tell = async (jobId: string, body: unknown) => api.post(await addressOf(jobId), body);

  it('counts a record once, and tells which event keeps it', async () => {
    const jobId = await api.jobIn('running');
    const first = await tell(jobId, {
      recordId: 'R 1',
      recordType: 'invoice',
      occurredAt: '2026-11-27T10:30:00+01:00',
    });
    expect(first.status).to.equal(202);
    expect(first.body.data).to.include({ jobId, recordId: 'R 1', duplicate: false });
    expect((await api.job(jobId)).recordsCreated).to.equal(1);
    const again = await tell(jobId, { recordId: 'R 1', attributes: { other: true } });
    expect([again.status, again.body.data]).to.deep.equal([
      200,
      { ...(first.body.data as object), duplicate: true },
    ]);
    expect((await api.job(jobId)).recordsCreated).to.equal(1);
  });

  it('answers an Idempotency-Key alike, and refuses another telling of the record under it', async () => {
    const address = await addressOf(await api.jobIn('running'));
    const tellAs = (key: string, body: object) =>
      api.post(address, body, { headers: { 'Idempotency-Key': key } });
    const first = await tellAs('k', { recordId: 'R', recordType: 'invoice' });
    const again = await tellAs('k', { recordType: 'invoice', recordId: 'R' });
    expect([again.status, again.body, again.headers.get('Idempotent-Replayed')]).to.deep.equal([
      202,
      first.body,
      'true',
    ]);
    const changed = await tellAs('k', { recordId: 'R', recordType: 'receipt' });
    expect([changed.status, changed.body.error.code]).to.deep.equal([422, 'idempotency_mismatch']);
    // Under no key or another one it is the same record, which was told before.
    for (const other of [await api.post(address, { recordId: 'R' }), await tellAs('l', { recordId: 'R' })])
      expect([other.status, other.body.data['duplicate']]).to.deep.equal([200, true]);
    // A record has a stream of its own, and so a memory of its own.
    expect((await tellAs('k', { recordId: 'S' })).status).to.equal(202);
  });

  it('counts once what is told by twenty at once, and never grows the stream of the job', async () => {
    const jobId = await api.jobIn('running');
    const before = (await readAll(api.services.events, `job-${jobId}`)).length;
    const tellings = Array.from({ length: 40 }, (_, i) => tell(jobId, { recordId: `R-${i % 2}` }));
    const statuses = (await Promise.all(tellings)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).to.have.length(2);
    expect(statuses.filter((status) => status === 200)).to.have.length(38);
    expect((await api.job(jobId)).recordsCreated).to.equal(2);
    expect(await readAll(api.services.events, `job-${jobId}`)).to.have.length(before);
  });

  it('changes the ETag of the job, and is kept when the job goes on', async () => {
    const jobId = await api.jobIn('running');
    const tagOf = async () => (await api.get(`/v1/jobs/${jobId}`, api.buyer)).headers.get('ETag');
    const before = await tagOf();
    await tell(jobId, { recordId: 'R' });
    expect(await tagOf()).not.to.equal(before);
    const completed = await api.act('complete', jobId);
    expect(completed.body.data).to.include({ recordsCreated: 1 });
  });

  it('feeds the outcomes of the agent where real money paid, and not the agency’s own', async () => {
    const outcomes = async () => {
      await api.services.projector.caughtUp();
      const { data } = (await api.get(`/v1/agents/${AGENT}`)).body;
      return z.object({ outcomes: z.object({ jobsCompleted: z.int(), recordsCreated: z.int() }) }).parse(data)
        .outcomes;
    };
    const walk = async (key: TestKey, provider: 'stripe' | 'test'): Promise<void> => {
      const jobId = await api.draft(key);
      const { amountCents } = await jobOf(jobId, key);
      const payment = { provider, reference: `pay-${jobId}`, amountCents };
      await receivePayment(api.services, jobId, payment, { at: now(), requestId: 'test' });
      await api.act('start', jobId);
      await api.post(await addressOf(jobId, key), { recordId: 'R' });
      expect((await api.act('complete', jobId)).status).to.equal(200);
    };
    const scopes = ['trials:create', 'jobs:read'] as const;
    const buyer = await api.newKey({ scopes });
    // Any key of an account that has one which acts for the agency.
    await api.newKey({ account: 'of-the-agency', scopes: ['provider:fulfil'], agency: 'ledgerworks' });
    const own = await api.newKey({ account: 'of-the-agency', scopes });
    const before = await outcomes();
    await walk(buyer, 'test');
    await walk(own, 'stripe');
    expect(await outcomes()).to.deep.equal(before);
    await walk(buyer, 'stripe');
    const { jobsCompleted, recordsCreated } = before;
    expect(await outcomes()).to.deep.equal({
      jobsCompleted: jobsCompleted + 1,
      recordsCreated: recordsCreated + 1,
    });
  });

  it('knows no other token, however near', async () => {
    const address = await addressOf(await api.jobIn('running'));
    const other = await addressOf(await api.jobIn('running'));
    const token = address.slice(address.lastIndexOf('/') + 1);
    const wrong = [
      'x',
      token.slice(0, -1),
      `${token}A`,
      token.slice(0, -1) + (token.endsWith('A') ? 'E' : 'A'),
      `${token.slice(0, 26)}${other.slice(-44)}`,
      token.toUpperCase(),
      'a'.repeat(900),
    ];
    for (const one of wrong) {
      const answer = await api.post(`/webhooks/record-created/${one}`, { recordId: 'R' });
      expect([answer.status, answer.body.error.code], one).to.deep.equal([404, 'not_found']);
    }
  });

  it('never writes a token into the log', async () => {
    const address = await addressOf(await api.jobIn('running'));
    await api.post(address, { recordId: 'R' });
    await api.post(`${address}x`, { recordId: 'R' });
    await api.post(address, { wrong: 'R' });
    expect(JSON.stringify(api.logged())).not.to.include(address.slice(-40, -2));
  });

  it('refuses what is no record', async () => {
    const jobId = await api.jobIn('running');
    const wrong: object[] = [
      {},
      { recordId: '' },
      { recordId: 'x'.repeat(201) },
      { recordId: 'R', other: 1 },
      { recordId: 'R', occurredAt: 'yesterday' },
      { recordId: 'R', url: 'javascript:alert(1)' },
      { recordId: 'R', attributes: { text: 'x'.repeat(16 * 1_024) } },
      { recordId: 'R', attributes: { text: 'ü'.repeat(8 * 1_024) } },
    ];
    for (const body of wrong) {
      const answer = await tell(jobId, body);
      expect([answer.status, answer.body.error.code], JSON.stringify(body).slice(0, 60)).to.deep.equal([
        400,
        'invalid_request',
      ]);
    }
  });

  it('takes them of a job that was paid for, and not of a draft or of one that came to nothing', async () => {
    const told = async (jobId: string) => {
      const { status, body } = await tell(jobId, { recordId: 'R' });
      return [status, body.error?.code, body.error?.details?.[0]?.value];
    };
    for (const status of ['draft', 'cancelled', 'expired'] as const)
      expect(await told(await api.jobIn(status)), status).to.deep.equal([409, 'job_state', status]);
    for (const status of ['funded', 'running', 'completed', 'failed', 'refunded'] as const)
      expect(await told(await api.jobIn(status)), status).to.deep.equal([202, undefined, undefined]);
  });

  describe('with a secret', () => {
    let jobId: string;
    let secret: string;
    const body = JSON.stringify({ recordId: 'signed', note: undefined });

    before(async () => {
      jobId = await api.jobIn('running');
      const issued = await api.post(`/v1/jobs/${jobId}/record-secret`, {}, api.buyer);
      secret = String(issued.body.data['secret']);
    });

    async function post(headers: Record<string, string>): Promise<number> {
      const json = { 'Content-Type': 'application/json', ...headers };
      return (await api.send('POST', await addressOf(jobId), { rawBody: body, headers: json })).status;
    }
    function signed(at: Date, key = secret): Record<string, string> {
      return {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(key).sign('msg_1', at, body),
      };
    }

    it('takes what the standard’s own library signs', async () => {
      expect(await post(signed(new Date()))).to.equal(202);
      expect(await post(signed(new Date()))).to.equal(200);
    });

    it('takes another signature for the same request, sent again under its Idempotency-Key', async () => {
      const other = await api.jobIn('running');
      const issued = await api.post(`/v1/jobs/${other}/record-secret`, {}, api.buyer);
      const send = async (at: Date) => {
        const signature = signed(at, String(issued.body.data['secret']));
        const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'k', ...signature };
        return api.send('POST', await addressOf(other), { rawBody: body, headers });
      };
      expect((await send(new Date(Date.now() - 1_000))).status).to.equal(202);
      const again = await send(new Date());
      expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([202, 'true']);
    });

    it('refuses what is unsigned, stale, of the future, or signed by another', async () => {
      const minutes = (n: number) => new Date(Date.now() + n * 60_000);
      const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
      const wrong = [{}, signed(minutes(-6)), signed(minutes(6)), signed(new Date(), other)];
      for (const headers of [...wrong, { ...signed(new Date()), 'webhook-id': 'msg_2' }])
        expect(await post(headers)).to.equal(401);
    });

    it('takes the secrets before for a day longer, five at once at most', async () => {
      const issue = async () => api.post(`/v1/jobs/${jobId}/record-secret`, {}, api.buyer);
      const all = [secret];
      while (all.length < 5) all.push(String((await issue()).body.data['secret']));
      expect(new Set(all)).to.have.property('size', 5);
      for (const one of all) expect(await post(signed(new Date(), one))).to.equal(200);
      const { status, body: refused } = await issue();
      expect([status, refused.error.code, refused.error.details?.[0]?.limit]).to.deep.equal([
        409,
        'conflict',
        '5',
      ]);
      secret = all.at(-1) ?? '';
    });

    it('refuses those before a day after', async () => {
      const other = await api.jobIn('running');
      const issue = () => api.post(`/v1/jobs/${other}/record-secret`, {}, api.buyer);
      const [old, fresh] = [await issue(), await issue()].map(({ body: { data } }) => String(data['secret']));
      const token = (await addressOf(other)).split('/').at(-1) ?? '';
      const at = new Date(Date.now() + 25 * 60 * 60 * 1_000);
      const tellUnder = async (key = '') => {
        const headers = signed(at, key);
        const input = {
          token,
          recordId: 'signed',
          signatureId: headers['webhook-id'],
          signatureTimestamp: headers['webhook-timestamp'],
          signature: headers['webhook-signature'],
        };
        const { signal } = new AbortController();
        const told = { requestId: 'test', commandId: key, at: at.toISOString(), signal, caller: null };
        return ingestRecord(input, { ...told, text: body }, api.services);
      };
      expect(await tellUnder(fresh)).to.include({ ok: true, accepted: true });
      const refused = await tellUnder(old);
      expect(refused.ok ? null : refused.refusal.code).to.equal('signature_invalid');
    });

    it('and a post without a good signature costs the job nothing of what it may take', async () => {
      const counted: string[] = [];
      const { recordLimiter } = api.services;
      const take: typeof recordLimiter.take = (what, ...more) => {
        counted.push(what);
        return recordLimiter.take(what, ...more);
      };
      const services = { ...api.services, recordLimiter: { ...recordLimiter, take } };
      const token = (await addressOf(jobId)).split('/').at(-1) ?? '';
      const { signal } = new AbortController();
      const told = { requestId: 'test', commandId: 'c', at: new Date().toISOString(), signal, caller: null };
      const refused = await ingestRecord({ token, recordId: 'R' }, told, services);
      expect(refused.ok ? null : refused.refusal.code).to.equal('signature_invalid');
      expect(counted).to.deep.equal([]);
    });

    it('belongs to the owner of the job alone', async () => {
      const stranger = await api.newKey({ scopes: ['trials:create'] });
      const answer = await api.post(`/v1/jobs/${jobId}/record-secret`, {}, stranger);
      expect(answer.status).to.equal(404);
    });
  });

  it('is limited for each token', async () => {
    const [jobId, other] = [await api.jobIn('running'), await api.jobIn('running')];
    for (let i = 0; i < RECORDS_PER_MINUTE; i += 1)
      await api.services.recordLimiter.take(jobId, RECORDS_PER_MINUTE, Date.now());
    const answer = await tell(jobId, { recordId: 'one too many' });
    expect([answer.status, answer.body.error.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 60);
    expect((await tell(other, { recordId: 'R' })).status).to.equal(202);
  });
});
