import { expect } from 'chai';
import { freezeAccount } from '../../src/operations/accounts/freeze-account.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import { freezeKey } from '../../src/operations/keys/freeze-key.ts';
import { addEndpoint } from '../../src/operations/webhooks/change-endpoint.ts';
import { leftBehind } from '../../src/operations/keys/left-behind.ts';
import { revokeKey } from '../../src/operations/keys/revoke-key.ts';
import { rotateKey } from '../../src/operations/keys/rotate-key.ts';
import { changeMandate } from '../../src/operations/mandates/change-mandate.ts';
import type { TestKey } from '../support/api.ts';
import { type JobApi, now, startJobApi } from '../support/job-flows.ts';
import { grant } from '../support/sample-mandate.ts';

const SCOPES = ['trials:create', 'jobs:read', 'jobs:cancel', 'mandate:read', 'webhooks:manage'] as const;
let commands = 0;
const call = () => {
  const commandId = `freeze-test-${(commands += 1)}`;
  return { at: now(), actor: 'cli', requestId: 'test', commandId };
};

describe('A freeze', () => {
  let api: JobApi;
  let nowMs = 0;
  before(async () => (api = await startJobApi({ now: () => Date.now() + nowMs })));
  after(() => api.close());
  beforeEach(() => (nowMs = 0));

  const newBuyer = (account?: string): Promise<TestKey> =>
    api.newKey({ scopes: SCOPES, ...(account === undefined ? {} : { account }) });
  const everything = async (key: TestKey, jobId: string): Promise<readonly number[]> => {
    const answers = await Promise.all([
      api.get(`/v1/jobs/${jobId}`, key),
      api.get('/v1/mandate', key),
      api.post(`/v1/jobs/${jobId}/cancel`, {}, key),
      api.post('/v1/webhook-endpoints', { url: 'https://buyer.example/hooks' }, key),
      api.post('/v1/notify-secret', {}, key),
    ]);
    for (const { status, body } of answers)
      if (status === 403) expect(body.error).to.include({ code: 'forbidden' });
    return [...new Set(answers.map(({ status }) => status))];
  };

  it('of a key stops everything; suspending it stops spending alone', async () => {
    const key = await newBuyer();
    const jobId = await api.draft(key);
    await changeMandate(api.services, key.keyId, { type: 'SuspendMandate', reason: 'not now' }, call());
    const spend = await api.post('/v1/trials', { agent: 'invoice-matcher', brief: 'Do it.' }, key);
    expect([spend.status, spend.body.error.reason]).to.deep.equal([403, 'mandate_suspended']);
    expect((await api.get(`/v1/jobs/${jobId}`, key)).status).to.equal(200);

    await freezeKey(
      api.services,
      key.keyId,
      { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' },
      call(),
    );
    expect(await everything(key, jobId)).to.deep.equal([403]);
    await freezeKey(api.services, key.keyId, { type: 'UnfreezeApiKey', by: 'owner' }, call());
    expect((await api.get(`/v1/jobs/${jobId}`, key)).body.data['status']).to.equal('draft');
  });

  it('stops the links that the key made, for as long as it lasts', async () => {
    const key = await newBuyer();
    const jobId = await api.draft(key);
    const { data } = (await api.get(`/v1/jobs/${jobId}`, key)).body;
    const { pathname, search } = new URL(String(data['fundingUrl']));
    await freezeKey(
      api.services,
      key.keyId,
      { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' },
      call(),
    );
    expect((await api.get(pathname + search)).status).to.equal(403);
    await freezeKey(api.services, key.keyId, { type: 'UnfreezeApiKey', by: 'owner' }, call());
    expect((await api.get(pathname + search)).status).to.equal(200);
  });

  it('of an account stops all of its keys, those that are made later too, and its links', async () => {
    const account = 'a-frozen-account';
    const [first, second] = [await newBuyer(account), await newBuyer(account)];
    const jobId = await api.draft(first);
    const { data } = (await api.get(`/v1/jobs/${jobId}`, first)).body;
    const { pathname, search } = new URL(String(data['fundingUrl']));
    const freeze = { type: 'FreezeAccount', reason: 'its keys were found' } as const;
    await freezeAccount(api.services, account, freeze, call());
    expect(await everything(first, jobId)).to.deep.equal([403]);
    expect(await everything(second, jobId)).to.deep.equal([403]);
    expect((await api.get(pathname + search)).status).to.equal(403);
    const wanted = { account, name: 'Late', scopes: SCOPES, agency: null, terms: grant().terms };
    expect(await createKey(api.services, wanted, call())).to.deep.include({ ok: false });
    await freezeAccount(api.services, first.accountId, { type: 'UnfreezeAccount' }, call());
    expect((await api.get('/v1/mandate', second)).status).to.equal(200);
    expect((await api.get(pathname + search)).status).to.equal(200);
  });

  describe('The end of a key', () => {
    it('makes it look like one that never was, at the moment that was set', async () => {
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const wanted = { account: 'ending', name: 'Short', scopes: SCOPES, agency: null, terms: grant().terms };
      const made = await createKey(api.services, { ...wanted, expiresAt }, call());
      if (!made.ok) throw new Error(made.refusal.message);
      await api.services.projector.caughtUp();
      const { key } = made.created;
      expect((await api.get('/v1/mandate', { key })).status).to.equal(200);
      nowMs = 61_000;
      const answer = await api.get('/v1/mandate', { key });
      const unknown = await api.get('/v1/mandate', { key: 'nonsense' });
      expect([answer.status, answer.body.error.code]).to.deep.equal([401, 'api_key_invalid']);
      expect(answer.body.error.message).to.equal(unknown.body.error.message);
    });
  });

  describe('A rotation', () => {
    const works = async (key: string): Promise<boolean> =>
      (await api.get('/v1/mandate', { key })).status === 200;
    const rotate = async ({ keyId }: TestKey, overlapMs: number): Promise<string> => {
      const until = overlapMs === 0 ? null : new Date(Date.now() + overlapMs).toISOString();
      const rotated = await rotateKey(api.services, keyId, call(), until);
      if (!rotated.ok || rotated.key === null) throw new Error('it was not rotated');
      await api.services.projector.caughtUp();
      return rotated.key;
    };

    it('ends the old secret at once, or when its overlap is over', async () => {
      const key = await newBuyer();
      const second = await rotate(key, 60_000);
      expect([await works(key.key), await works(second)]).to.deep.equal([true, true]);
      nowMs = 61_000;
      expect([await works(key.key), await works(second)]).to.deep.equal([false, true]);
      nowMs = 0;
      const third = await rotate(key, 0);
      expect([await works(key.key), await works(second), await works(third)]).to.deep.equal([
        false,
        false,
        true,
      ]);
    });

    it('leaves no secret that outlives a revocation or a freeze', async () => {
      const key = await newBuyer();
      const second = await rotate(key, 60_000);
      await freezeKey(
        api.services,
        key.keyId,
        { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' },
        call(),
      );
      const third = await rotate(key, 60_000);
      for (const secret of [key.key, second, third])
        expect((await api.get('/v1/mandate', { key: secret })).status).to.equal(403);
      await freezeKey(api.services, key.keyId, { type: 'UnfreezeApiKey', by: 'owner' }, call());
      expect(await works(key.key)).to.equal(true);
      await revokeKey(api.services, key.keyId, 'it leaked', call());
      await api.services.projector.caughtUp();
      for (const secret of [key.key, second, third]) expect(await works(secret)).to.equal(false);
    });

    it('of a key that is revoked or full of earlier secrets is refused, and gives none', async () => {
      const [revoked, full] = [await newBuyer(), await newBuyer()];
      await revokeKey(api.services, revoked.keyId, 'it leaked', call());
      const refused = await rotateKey(api.services, revoked.keyId, call());
      expect(refused).to.have.nested.property('refusal.code', 'conflict');
      let secrets = 1;
      let last = await rotateKey(
        api.services,
        full.keyId,
        call(),
        new Date(Date.now() + 60_000).toISOString(),
      );
      for (; last.ok && secrets < 100; secrets += 1)
        last = await rotateKey(api.services, full.keyId, call(), new Date(Date.now() + 60_000).toISOString());
      expect(last).to.have.nested.property('refusal.details[0].path', 'overlapSeconds');
      expect(secrets).to.be.below(100);
      expect((await rotateKey(api.services, full.keyId, call())).ok).to.equal(true);
    });
  });

  it('tells of every endpoint that a key leaves behind, be there more than one page of them', async () => {
    const key = await newBuyer();
    const wanted = { url: 'https://buyer.example/hooks', types: null, description: '' };
    const services = { ...api.services, limits: { ...api.services.limits, webhookEndpoints: 1_000 } };
    const actor = `key:${key.keyId}`;
    for (let i = 0; i < 501; i += 1) {
      const added = await addEndpoint(services, key.accountId, wanted, { ...call(), actor });
      if (!added.ok) throw new Error(added.refusal.message);
    }
    await api.services.projector.caughtUp();
    const { endpoints } = await leftBehind(api.services, key.keyId, key.accountId);
    expect(new Set(endpoints.map(({ id }) => id))).to.have.property('size', 501);
  });

  it('tells what a key leaves behind: where messages go, the secrets it was shown, and its open jobs', async () => {
    const [leaked, other] = [await newBuyer('leaving'), await newBuyer('leaving')];
    const hook = { url: 'https://thief.example/hooks' };
    const added = (await api.post('/v1/webhook-endpoints', hook, leaked)).body.data;
    expect(added).to.include({ madeBy: leaked.keyId, secretMadeBy: leaked.keyId });
    const theirs = (await api.post('/v1/webhook-endpoints', { url: 'https://own.example/' }, other)).body
      .data;
    await api.post('/v1/notify-secret', {}, leaked);
    const jobId = await api.draft(leaked);
    await api.draft(other);
    expect((await api.get(`/v1/jobs/${jobId}`, other)).body.data['keyId']).to.equal(leaked.keyId);
    await api.services.projector.caughtUp();
    const { keyId, accountId } = leaked;
    expect(await leftBehind(api.services, keyId, accountId)).to.deep.equal({
      keys: [],
      endpoints: [{ id: added['id'], url: hook.url }],
      knowsNotifySecret: true,
      openJobs: 1,
    });
    const change = async (key: TestKey, changes: object) => {
      const path = `/v1/webhook-endpoints/${String(theirs['id'])}`;
      const headers = { 'Content-Type': 'application/json' };
      const { body, text } = await api.send('PATCH', path, {
        key: key.key,
        headers,
        rawBody: JSON.stringify(changes),
      });
      expect(body.data, text).to.deep.include({ madeBy: other.keyId, ...changes });
      return body.data['changedBy'];
    };
    expect(await change(other, { types: ['job.failed'] })).to.equal(null);
    expect(await change(leaked, hook)).to.equal(keyId);
    expect(await change(other, { types: ['job.completed'] }), 'what it is told of is no address').to.equal(
      keyId,
    );
    const redirected = { id: theirs['id'], url: hook.url };
    await api.services.projector.caughtUp();
    expect((await leftBehind(api.services, keyId, accountId)).endpoints).to.deep.include(redirected);
    expect(await change(other, { description: 'Our ERP' })).to.equal(other.keyId);
    await api.services.projector.caughtUp();
    expect(
      (await leftBehind(api.services, keyId, accountId)).endpoints,
      'who writes a note hides nobody',
    ).to.deep.include(redirected);
    expect(await change(other, { url: 'https://own.example/' })).to.equal(other.keyId);
    await api.post(`/v1/webhook-endpoints/${String(theirs['id'])}/rotate-secret`, {}, leaked);
    await api.post(`/v1/webhook-endpoints/${String(added['id'])}/rotate-secret`, {}, other);
    await api.services.projector.caughtUp();
    expect((await leftBehind(api.services, keyId, accountId)).endpoints).to.have.length(2);
    expect((await leftBehind(api.services, other.keyId, accountId)).endpoints).to.have.length(2);
  });
});
