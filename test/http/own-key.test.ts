import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyDecider } from '../../commands/key/key.ts';
import { changeMandate } from '../../src/operations/mandates/change-mandate.ts';
import { AGENT, type JobApi, now, startJobApi } from '../support/job-flows.ts';

describe('GET /v1/key', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const call = () => ({ at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() });

  it('tells any key who it is, whose, what it may do and what is left', async () => {
    const account = 'who-am-i';
    const terms = { maxMonthlyCents: 9_000, allowedAgents: [AGENT] };
    const { key, keyId, accountId, mandateId } = await api.newKey({
      account,
      scopes: ['trials:create'],
      terms,
    });
    const answer = await api.get('/v1/key', { key });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.data['account']).to.deep.equal({ id: accountId, handle: account });
    expect(answer.body.data['key']).to.deep.include({
      id: keyId,
      status: 'active',
      name: 'Test key',
      scopes: ['trials:create'],
      expiresAt: null,
      madeBy: 'cli',
      mandateId,
    });
    expect(answer.body.data['mandate']).to.deep.include({
      mandateId,
      status: 'active',
      remainingThisPeriodCents: 9_000,
      allowedActions: ['trial:create'],
      allowedAgents: [AGENT],
    });
    expect(answer.text).not.to.include('secretHash');
  });

  it('is never behind a spend, a suspension or an amendment', async () => {
    const key = await api.newKey({ scopes: ['trials:create'], terms: { maxMonthlyCents: 5_000 } });
    const trial = await api.post('/v1/trials', { agent: AGENT, brief: 'Do it.' }, key);
    const left = 5_000 - Number(trial.body.data['amountCents']);
    await changeMandate(api.services, key.keyId, { type: 'SuspendMandate', reason: 'test' }, call());
    const changes = { name: 'Renamed', expiresAt: '2999-01-01T00:00:00.000Z' };
    await api.services.commands.run(keyDecider, key.keyId, { type: 'AmendApiKey', changes }, call());
    const { data } = (await api.get('/v1/key', key)).body;
    expect(data['key']).to.deep.include(changes);
    expect(data['mandate']).to.deep.include({ status: 'suspended', remainingThisPeriodCents: left });
  });

  it('needs a key', async () => {
    expect((await api.get('/v1/key')).body.error.code).to.equal('api_key_missing');
  });
});
