/** What buyers write freely: encrypted wherever it is kept, and read by those who may, while they may. */
import { expect } from 'chai';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { canonicalJson } from '../../events/canonical-json.ts';
import { eventHash, sha256Hex } from '../../events/hash-chain.ts';
import { idFrom } from '../../events/ids.ts';
import { createMemoryAccountKeys } from '../contract/memory/account-keys.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { needsOrder } from '../../src/operations/jobs/provider-job-schema.ts';
import { type AccountKeys, AccountKeysUnavailable } from '../../src/ports/account-keys.ts';
import { eventsOf, pagesUntil, readAll } from '../support/event-log.ts';
import { AGENT, type JobApi, now, startJobApi } from '../support/job-flows.ts';
import { withItsId } from '../support/new-event.ts';

const SECRETS = ['Ms. Secret', 'secret-input', 'secret-note', 'secret-token', 'secret-record', 'secret-hook'];
const ORDER = {
  brief: 'Match the invoices of Ms. Secret.',
  inputs: { account: 'secret-input', rows: [1, 2.5, null] },
  metadata: { note: 'secret-note' },
  notifyUrl: 'https://buyer.example/hooks?token=secret-token',
};

describe('What a buyer writes freely', () => {
  const events = memoryEventStore();
  const views = memoryViewStore();
  const keys = createMemoryAccountKeys();
  let isAway = false;
  const reached = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    isAway ? Promise.reject(new AccountKeysUnavailable('away')) : ask();
  const accountKeys: AccountKeys = {
    ...keys,
    keyFor: (accountId) => reached(() => keys.keyFor(accountId)),
    find: (accountId) => reached(() => keys.find(accountId)),
  };
  let api: JobApi;
  before(async () => (api = await startJobApi({ engines: { events, views, accountKeys } })));
  after(() => api.close());

  const wholeLog = async () =>
    eventsOf(await pagesUntil(events, { after: null }, (_, page) => page.caughtUp));
  const buy = (key: string, idempotencyKey: string, more: object = {}) =>
    api.post(
      '/v1/trials',
      { agent: AGENT, ...ORDER, ...more },
      { key, headers: { 'Idempotency-Key': idempotencyKey } },
    );
  const newBuyer = () => api.newKey({ scopes: ['trials:create', 'jobs:read', 'webhooks:manage'] });

  it('is nowhere in the log and in no view, in whatever order it comes', async () => {
    const jobId = await api.jobIn('running', api.buyer, ORDER);
    const { recordWebhookUrl } = await api.job(jobId);
    await api.post(new URL(recordWebhookUrl ?? '').pathname, {
      recordId: 'secret-record',
      url: 'https://erp.example/secret-record',
      attributes: { name: 'secret-record' },
    });
    const hook = { url: 'https://buyer.example/secret-hook', description: 'secret-hook' };
    await api.post('/v1/webhook-endpoints', hook, api.buyer);
    await api.services.projector.caughtUp();
    const log = JSON.stringify(await wholeLog());
    const shown = await Promise.all([
      views.getJson('jobs', jobId),
      views.getJson('account-endpoints', api.buyer.accountId),
    ]);
    for (const json of shown) expect(json).to.be.a('string');
    for (const secret of SECRETS) expect(log + shown.join(), secret).not.to.include(secret);
    // Nor is a digest that whoever guesses could compare.
    for (const secret of SECRETS) expect(log).not.to.include(sha256Hex(secret).slice(0, 32));
  });

  it('is shown to its owner as it was written, alone and in lists, and in the first answer again', async () => {
    const { key } = await newBuyer();
    const first = await buy(key, 'one');
    expect(first.body.data['metadata']).to.deep.equal(ORDER.metadata);
    const again = await buy(key, 'one');
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(again.body).to.deep.equal(first.body);
    await api.services.projector.caughtUp();
    const [listed] = (await api.get('/v1/jobs', { key })).body.data;
    expect(listed?.['metadata']).to.deep.equal(ORDER.metadata);

    const hook = { url: 'https://buyer.example/hook', description: 'ERP' };
    const added = await api.post('/v1/webhook-endpoints', hook, { key });
    expect(added.body.data).to.deep.include(hook);
    await api.services.projector.caughtUp();
    const [endpoint] = (await api.get('/v1/webhook-endpoints', { key })).body.data;
    expect(endpoint).to.deep.include(hook);
  });

  it('is the same request when it comes in another order, and another one when any of it differs', async () => {
    const { key } = await newBuyer();
    await buy(key, 'same');
    const reordered = await buy(key, 'same', { inputs: { rows: [1, 2.5, null], account: 'secret-input' } });
    expect(reordered.headers.get('Idempotent-Replayed')).to.equal('true');
    for (const more of [{ brief: 'Other.' }, { metadata: {} }, { notifyUrl: 'https://other.example/' }])
      expect((await buy(key, 'same', more)).body.error.code).to.equal('idempotency_mismatch');
  });

  it('is the same request that a release before answered, which kept it and its hash in clear', async () => {
    const { key, keyId, accountId, mandateId } = await newBuyer();
    const input = { agent: AGENT, ...ORDER };
    const at = now();
    const jobId = idFrom('job', at, 'old');
    const streamId = `mandate-${mandateId}`;
    const [granted] = await readAll(events, streamId);
    if (granted === undefined) throw new Error('the mandate was not granted');
    const { expectedRecords = null, agent, ...text } = { expectedRecords: undefined, ...input };
    await events.append(streamId, 0, [
      withItsId(streamId, 1, {
        type: 'MandateSpent',
        version: 1,
        at,
        data: {
          spendId: idFrom('spend', at, 'old'),
          keyId,
          accountId,
          period: at.slice(0, 7),
          amountCents: 1_900,
          currency: 'usd',
          action: 'trial:create',
          spentThisPeriodCents: 1_900,
          order: {
            jobId,
            agent: { slug: agent, name: 'X' },
            agency: 'ledgerworks',
            expectedRecords,
            ...text,
          },
        },
        meta: {
          actor: `key:${keyId}`,
          requestId: 'old',
          commandId: sha256Hex(canonicalJson([mandateId, 'createTrial', 'old'])),
          requestHash: sha256Hex(canonicalJson(input)),
          prev: eventHash(granted),
        },
      }),
    ]);
    const again = await buy(key, 'old');
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([201, 'true']);
    expect(again.body.data).to.deep.include({ id: jobId, metadata: ORDER.metadata });
    expect((await buy(key, 'old', { brief: 'Other.' })).body.error.code).to.equal('idempotency_mismatch');
    // Its job was drafted, and is read like any other.
    const alone = await api.get(`/v1/jobs/${jobId}`, { key });
    expect(alone.body.data['metadata']).to.deep.equal(ORDER.metadata);
  });

  describe('is read by the agency that does the job', () => {
    const asAgency = async (jobId: string) => {
      await api.services.projector.caughtUp();
      const { data } = (await api.get('/v1/provider/jobs?limit=100', api.agency)).body;
      const job = data.find((one) => one['id'] === jobId);
      return [job?.['brief'], job?.['inputs']];
    };
    for (const status of ['draft', 'cancelled', 'expired'] as const) {
      it(`not of a ${status} job`, async () => {
        expect(await asAgency(await api.jobIn(status, api.buyer, ORDER))).to.deep.equal([null, null]);
      });
    }
    for (const status of ['funded', 'running', 'completed', 'failed', 'refunded'] as const) {
      it(`of a ${status} job`, async () => {
        const jobId = await api.jobIn(status, api.buyer, ORDER);
        expect(await asAgency(jobId)).to.deep.equal([ORDER.brief, ORDER.inputs]);
      });
    }

    it('as soon as it starts the job, in the answer itself', async () => {
      const { body } = await api.act('start', await api.jobIn('funded', api.buyer, ORDER));
      expect([body.data['brief'], body.data['inputs']]).to.deep.equal([ORDER.brief, ORDER.inputs]);
    });

    it('until some days after the end', () => {
      const at = (day: number): string => `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`;
      const history = (['draft', 'funded', 'running', 'completed'] as const).map((status, i) => {
        return { status, at: at(i + 1) };
      });
      const days = { orderVisibleDays: 7 };
      const job = { status: 'completed', history } as const;
      expect(needsOrder(job, at(10), days)).to.equal(true);
      expect(needsOrder(job, at(11), days)).to.equal(false);
      expect(needsOrder(job, at(4), { orderVisibleDays: 0 })).to.equal(false);
    });
  });

  describe('is read by an operator', () => {
    it('for a reason that is an event of the job before anything is shown', async () => {
      const jobId = await api.draft(api.buyer, ORDER);
      const path = `/v1/operator/jobs/${jobId}/disclose`;
      expect((await api.post(path, {}, api.operator)).status).to.equal(400);
      const reason = 'Ticket 4711.';
      const { body } = await api.post(path, { reason }, api.operator);
      const { brief, inputs, metadata } = ORDER;
      expect(body.data).to.deep.equal({ jobId, brief, inputs, metadata });
      const last = (await readAll(events, `job-${jobId}`)).at(-1);
      expect(last).to.deep.include({ type: 'OrderDisclosed', data: { jobId, reason } });
      expect(last?.meta.actor).to.equal(`key:${api.operator.keyId}`);
    });

    it('and not otherwise: a refund shows none of it', async () => {
      const jobId = await api.jobIn('funded', api.buyer, ORDER);
      const answer = await api.post(`/v1/operator/jobs/${jobId}/refund`, { reason: 'x' }, api.operator);
      expect(answer.status).to.equal(200);
      for (const secret of SECRETS) expect(answer.text).not.to.include(secret);
    });

    it('not by a buyer or an agency', async () => {
      const path = `/v1/operator/jobs/${await api.draft()}/disclose`;
      for (const key of [api.buyer, api.agency])
        expect((await api.post(path, { reason: 'x' }, key)).status).to.equal(403);
    });
  });

  describe('while the keys of accounts are away', () => {
    afterEach(() => void (isAway = false));

    it('is not taken in: 503, and nothing was done', async () => {
      const { key, keyId, mandateId } = await newBuyer();
      const ofBuyer = async () =>
        (await wholeLog()).filter(({ meta }) => meta.actor === `key:${keyId}`).length;
      expect(await ofBuyer()).to.equal(0);
      isAway = true;
      const answers = [
        await buy(key, 'away'),
        await api.post('/v1/webhook-endpoints', { url: 'https://buyer.example/' }, { key }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.error.code]).to.deep.equal([503, 'unavailable']);
        expect(body.error.message).to.include('Nothing was done');
      }
      expect(await ofBuyer()).to.equal(0);
      isAway = false;
      expect((await buy(key, 'away')).status).to.equal(201);
      const { state } = await api.services.commands.load(mandateDecider, mandateId, now());
      expect(state).to.include({ spendCount: 1 });
    });
  });

  it('is gone for everybody once the key of the account was erased, and the chain still verifies', async () => {
    const { key, accountId, mandateId } = await newBuyer();
    const jobId = String((await buy(key, 'erased')).body.data['id']);
    await api.services.privateTexts.erase(accountId);
    expect((await api.get(`/v1/jobs/${jobId}`, { key })).body.data['metadata']).to.deep.equal({});
    const disclosed = await api.post(
      `/v1/operator/jobs/${jobId}/disclose`,
      { reason: 'x' },
      { key: api.operator.key },
    );
    expect(disclosed.body.error.code).to.equal('conflict');
    expect((await buy(key, 'more')).body.error.code).to.equal('conflict');
    const [granted, spent] = await readAll(events, `mandate-${mandateId}`);
    expect(spent?.meta.prev).to.equal(granted && eventHash(granted));
  });

  it('takes in no record once the key of its account was erased: its address is nowhere', async () => {
    const key = await newBuyer();
    const jobId = await api.jobIn('running', key);
    const { body } = await api.get(`/v1/jobs/${jobId}`, key);
    const address = new URL(String(body.data['recordWebhookUrl'])).pathname;
    const told = await api.post(address, { recordId: 'before' });
    expect(told.status, told.text).to.equal(202);
    const records = async () => (await wholeLog()).filter(({ type }) => type === 'RecordAsserted').length;
    const before = await records();
    await api.services.privateTexts.erase(key.accountId);
    for (const recordId of ['after', 'before']) {
      const answer = await api.post(address, { recordId });
      expect([answer.status, answer.body.error.code], recordId).to.deep.equal([404, 'not_found']);
      expect(answer.body.error.message).to.equal('There is nothing at this address.');
    }
    expect(await records()).to.equal(before);
  });
});
