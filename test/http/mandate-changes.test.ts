import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { rotateKey } from '../../src/operations/keys/rotate-key.ts';
import { amendMandate, changeMandate } from '../../src/operations/mandates/change-mandate.ts';
import type { TestKey } from '../support/api.ts';
import { AGENT, type JobApi, now, startJobApi } from '../support/job-flows.ts';

const terms = { maxPerTransactionCents: 5_000, maxMonthlyCents: 1_000_000, allowedActions: ['trial:create'] };
const scopes = ['trials:create', 'jobs:read', 'mandate:read'] as const;

describe('A mandate that is changed while its key is in use', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const call = () => ({ at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() });
  const buy = (key: { key: string }, headers = {}) =>
    api.post('/v1/trials', { agent: AGENT, brief: 'Do it.' }, { key: key.key, headers });
  const mandateOf = async (key: { key: string }) => (await api.get('/v1/mandate', key)).body.data;
  const newKey = (more = {}): Promise<TestKey> => api.newKey({ scopes, terms: { ...terms, ...more } });
  const priceOf = async (key: TestKey): Promise<number> => Number((await buy(key)).body.data['amountCents']);

  it('keeps what was spent when a cap is lowered below it, and lets nothing more pass', async () => {
    const key = await newKey();
    const price = await priceOf(key);
    const amended = await amendMandate(api.services, key.keyId, { maxMonthlyCents: price - 1 }, call());
    expect(amended.ok).to.equal(true);
    const denied = await buy(key);
    expect([denied.status, denied.body.error.reason]).to.deep.equal([403, 'monthly_cap']);
    expect(await mandateOf(key)).to.include({ spentThisPeriodCents: price, remainingThisPeriodCents: 0 });
    await amendMandate(api.services, key.keyId, { maxMonthlyCents: 2 * price }, call());
    expect((await buy(key)).status).to.equal(201);
    expect((await buy(key)).status).to.equal(403);
  });

  it('keeps both of two changes that are made at once', async () => {
    const key = await newKey();
    const expiresAt = '2099-01-01T00:00:00.000Z';
    await Promise.all([
      amendMandate(api.services, key.keyId, { maxMonthlyCents: 1 }, call()),
      amendMandate(api.services, key.keyId, { expiresAt }, call()),
    ]);
    expect(await mandateOf(key)).to.include({ maxMonthlyCents: 1, expiresAt });
  });

  it('refuses terms that are none, by name', async () => {
    const key = await newKey();
    for (const cents of [-1, 1.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN]) {
      const amended = await amendMandate(api.services, key.keyId, { maxMonthlyCents: cents }, call());
      expect(amended.ok).to.equal(false);
      if (!amended.ok) expect(amended.refusal.message).to.include('maxMonthlyCents');
    }
  });

  it('is suspended, told so as the first reason, and resumed', async () => {
    const key = await newKey({ maxPerTransactionCents: 1 });
    await changeMandate(api.services, key.keyId, { type: 'SuspendMandate', reason: 'test' }, call());
    const denied = await buy(key);
    expect(denied.body.error.reason).to.equal('mandate_suspended');
    expect(denied.body.error.message).to.include('(mandate_suspended)');
    const { mandateId: _, ...whole } = await mandateOf(key);
    expect(denied.body.error.mandateState, 'every control').to.deep.equal(whole);
    const reasons = z.array(z.object({ reason: z.string() })).parse(denied.body.error.details);
    expect(reasons.map(({ reason }) => reason)).to.deep.equal(['mandate_suspended', 'transaction_cap']);
    expect(
      (await changeMandate(api.services, key.keyId, { type: 'SuspendMandate', reason: 'again' }, call())).ok,
    ).to.equal(false);
    await changeMandate(api.services, key.keyId, { type: 'ResumeMandate' }, call());
    expect((await buy(key)).body.error.reason).to.equal('transaction_cap');
  });

  it('keeps counters and idempotency keys when the key is rotated; the old secret is nobody’s', async () => {
    const key = await newKey();
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await buy(key, headers);
    const rotated = await rotateKey(api.services, key.keyId, call());
    if (!rotated.ok || rotated.key === null) throw new Error('it was not rotated');
    const renewed = { key: rotated.key };
    await api.services.projector.caughtUp();
    expect((await buy(key)).status).to.equal(401);
    const again = await buy(renewed, headers);
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(again.body.data['id']).to.equal(first.body.data['id']);
    expect(await mandateOf(renewed)).to.include({ spendsThisPeriod: 1 });
  });

  it('is told to its own key, and to auditors of its account alone', async () => {
    const account = `audited-${randomUUID().slice(0, 8)}`;
    const key = await api.newKey({ account, scopes, terms });
    const auditor = await api.newKey({ account, scopes: ['audit:read'] });
    const stranger = await api.newKey({ scopes: ['audit:read', 'mandate:read'] });
    const market = await api.newKey({ scopes: ['audit:read', 'operator:write'] });
    await buy(key);
    const history = (asking: TestKey, query: string) => api.get(`/v1/mandate/history${query}`, asking);
    const other = `?keyId=${key.keyId}`;
    for (const asking of [auditor, market]) {
      const told = await history(asking, other);
      expect([...told.body.data].map((event) => event['type'])).to.deep.equal([
        'MandateGranted',
        'MandateSpent',
      ]);
    }
    expect((await history(stranger, other)).status).to.equal(404);
    expect((await history(key, other)).body.error.code).to.equal('scope_missing');
    expect((await history(auditor, '')).body.error.code).to.equal('scope_missing');
    expect((await history(key, '')).status).to.equal(200);
  });

  it('is told as it was at any moment: whether it was suspended, and whom it allowed', async () => {
    const key = await newKey({ allowedAgents: [AGENT], maxSpendsPerMonth: 3 });
    await changeMandate(api.services, key.keyId, { type: 'SuspendMandate', reason: 'test' }, call());
    const history = async (query: string) => (await api.get(`/v1/mandate/history${query}`, key)).body;
    const suspended = { status: 'suspended', allowedAgents: [AGENT], maxSpendsPerMonth: 3 };
    const events = [...(await history('')).data];
    expect(events.at(-1)).to.have.property('type', 'MandateSuspended');
    expect(events.at(-1)?.['stateAfter']).to.deep.include(suspended);
    const then = String(events.at(-1)?.['at']);
    await changeMandate(
      api.services,
      key.keyId,
      { type: 'ResumeMandate' },
      {
        ...call(),
        at: new Date(Date.parse(then) + 1).toISOString(),
      },
    );
    expect((await history('')).meta['mandateState']).to.include({ status: 'active' });
    expect((await history(`?asOf=${then}`)).meta['mandateState']).to.deep.include(suspended);
  });

  it('is told with what it denied, where it was denied, page by page and at any moment', async () => {
    const key = await newKey();
    const history = async (query = '') => (await api.get(`/v1/mandate/history${query}`, key)).body;
    await buy(key);
    await changeMandate(api.services, key.keyId, { type: 'SuspendMandate', reason: 'a halt' }, call());
    const denied = await buy(key);
    await changeMandate(api.services, key.keyId, { type: 'ResumeMandate' }, call());
    const whole = await history();
    const types = ['MandateGranted', 'MandateSpent', 'MandateSuspended', 'SpendDenied', 'MandateResumed'];
    expect([...whole.data].map((row) => row['type'])).to.deep.equal(types);
    expect(whole.meta).to.include({ total: 5, nextCursor: null });
    const row = whole.data[3];
    expect(row?.['data']).to.deep.include({ amountCents: 1_900, action: 'trial:create' });
    expect(row?.['data']).to.have.property('reasons').that.includes('mandate_suspended');
    expect(row).to.include({ streamId: `denials-${key.mandateId}`, requestId: denied.body.error.requestId });
    expect(row?.['stateAfter']).to.include({ status: 'suspended', spendsThisPeriod: 1 });

    const paged = [];
    for (let page = await history('?limit=2'); ;) {
      paged.push(...page.data);
      const { nextCursor } = page.meta;
      if (typeof nextCursor !== 'string') break;
      page = await history(`?limit=2&cursor=${nextCursor}`);
    }
    expect(paged).to.deep.equal([...whole.data]);
    const then = await history(`?asOf=${String(whole.data[1]?.['at'])}`);
    expect(then.meta).to.have.property('asOf', whole.data[1]?.['at']);
    expect([...then.data].map((one) => one['at'])).to.satisfy((times: string[]) =>
      times.every((at) => at <= String(whole.data[1]?.['at'])),
    );
  });

  it('spends once for twenty posts with one idempotency key at once', async () => {
    const key = await newKey();
    const headers = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => buy(key, headers)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.data['id'])).size).to.equal(1);
    expect(await mandateOf(key)).to.include({ spendsThisPeriod: 1 });
  });
});

describe('Two accounts', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  it('never see, wait for, cancel, list or sign for each other’s jobs', async () => {
    const jobId = await api.jobIn('running');
    const draftId = await api.draft();
    const all = [
      'trials:create',
      'jobs:read',
      'jobs:cancel',
      'mandate:read',
      'webhooks:manage',
      'provider:fulfil',
    ] as const;
    const stranger = await api.newKey({ scopes: all });
    const rival = await api.newKey({ scopes: all, agency: 'rival-agency' });
    for (const key of [stranger, rival]) {
      const json = { ...key, rawBody: '{}', headers: { 'Content-Type': 'application/json' } };
      const fail = { ...json, rawBody: '{"code":"x","message":"y"}' };
      const tries = await Promise.all([
        api.get(`/v1/jobs/${jobId}`, key),
        api.get(`/v1/jobs/${jobId}?wait=60`, key),
        api.get(`/v1/jobs/${jobId}/artifacts`, key),
        api.send('POST', `/v1/jobs/${draftId}/cancel`, json),
        api.send('POST', `/v1/jobs/${jobId}/record-secret`, json),
        api.send('POST', `/v1/provider/jobs/${jobId}/start`, json),
        api.send('POST', `/v1/provider/jobs/${jobId}/complete`, json),
        api.send('POST', `/v1/provider/jobs/${jobId}/fail`, fail),
        api.send('PUT', `/v1/provider/jobs/${jobId}/artifacts/a.txt`, { ...key, rawBody: 'x' }),
      ]);
      expect(tries.map(({ status }) => status)).to.deep.equal(tries.map(() => 404));
      for (const path of ['/v1/jobs', '/v1/webhook-endpoints']) {
        expect((await api.get(path, key)).body.data).to.deep.equal([]);
      }
    }
    expect((await api.get('/v1/provider/jobs', rival)).body.data).to.deep.equal([]);
    expect((await api.job(jobId)).status).to.equal('running');
    expect((await api.job(draftId)).status).to.equal('draft');
  });
});
