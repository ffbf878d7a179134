/** What keys that were made over the API may be, and what is said of them when they are rotated and revoked. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyringDecider } from '../../commands/keyring/keyring.ts';
import { leftBehind } from '../../src/operations/keys/left-behind.ts';
import { makeKey } from '../../src/operations/keys/make-key.ts';
import { now } from '../support/job-flows.ts';
import { MANDATE, managingKeys, OWN, SCOPES } from './managing-keys.ts';

const READER = { scopes: ['jobs:read'], mandate: null };

describe('Keys over the API, and their bounds', () => {
  const { api, newAccount, newManager, make, made, paths, act } = managingKeys();

  it('work at once', async () => {
    const manager = await newManager();
    for (let times = 0; times < 5; times += 1) {
      const { key } = await made(manager, READER);
      expect((await api().get('/v1/key', { key })).status).to.equal(200);
    }
  });

  it('have each scope once, and act for an agency only where they fulfil its jobs', async () => {
    const scopes = [...SCOPES, 'provider:fulfil'] as const;
    const manager = await api().newKey({
      account: newAccount(),
      scopes,
      agency: 'ledgerworks',
      terms: OWN,
    });
    const reader = await make(manager, { ...READER, scopes: ['jobs:read', 'jobs:read'] });
    expect(reader.body.data).to.deep.include({ scopes: ['jobs:read'], agency: null });
    const fulfilling = await make(manager, { ...READER, scopes: ['provider:fulfil'] });
    expect(fulfilling.body.data).to.deep.include({ agency: 'ledgerworks' });
  });

  it('whose times are of no year with four digits are refused, and leave nothing set aside', async () => {
    const manager = await newManager();
    for (const [more, path] of [
      [{ mandate: { ...MANDATE, validFrom: '9999-12-31T23:59:60Z' } }, 'mandate.validFrom'],
      [{ mandate: { ...MANDATE, expiresAt: '9999-12-31T23:59:59-12:00' } }, 'mandate.expiresAt'],
      [{ expiresAt: '9999-12-31T23:59:60Z' }, 'expiresAt'],
    ] as const) {
      const answer = await make(manager, more);
      expect(answer.status, path).to.equal(400);
      expect(paths(answer)).to.deep.equal([path]);
    }
    expect((await make(manager, { mandate: { ...MANDATE, maxMonthlyCents: 20_000 } })).status).to.equal(201);
  });

  it('that cannot be written leave nothing set aside either', async () => {
    const { keyId, accountId, mandateId } = await newManager();
    const caller = { keyId, accountId, mandateId, agency: null, scopes: SCOPES };
    const signal = new AbortController().signal;
    const call = { caller, at: now(), requestId: 'r', commandId: 'c', signal, untilMs: Infinity };
    // As if the check of the input had let it pass.
    const mandate = { ...MANDATE, validFrom: '+010000-01-01T00:00:00.000Z' };
    const wish = makeKey.run({ name: 'Buyer', scopes: ['jobs:read'], mandate }, call, api().services);
    const failure: unknown = await wish.catch((error: unknown) => error);
    expect(String(failure)).to.include('MandateGranted breaks its own schema');
    const { state } = await api().services.commands.load(keyringDecider, accountId, now());
    expect([...state.shares]).to.deep.equal([]);
  });

  it('that could never work are refused, by the field that is wrong', async () => {
    const manager = await newManager();
    const past = '2020-01-01T00:00:00Z';
    const [from, until] = ['2099-01-01T00:00:00Z', '2099-01-02T00:00:00Z'];
    for (const [more, path] of [
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['provider:fulfil'] }, 'agency'],
      [{ mandate: { expiresAt: past } }, 'mandate.expiresAt'],
      [{ mandate: { validFrom: from, expiresAt: from } }, 'mandate.expiresAt'],
      [{ mandate: { validFrom: until, expiresAt: from } }, 'mandate.expiresAt'],
      [{ mandate: { maxMonthlyCents: 1 } }, 'mandate.allowedActions'],
      [{ mandate: { maxPerTransactionCents: 1 } }, 'mandate.allowedActions'],
      [{ mandate: { allowedAgencies: ['nobody'] } }, 'mandate.allowedAgencies'],
    ] as const) {
      const refused = await make(manager, { ...READER, ...more });
      expect([refused.status, refused.body.error.code, paths(refused)], path).to.deep.equal([
        422,
        'key_unworkable',
        [path],
      ]);
    }
    const valid = await make(manager, { ...READER, mandate: { validFrom: from, expiresAt: until } });
    expect(valid.status, valid.text).to.equal(201);
  });

  it('are rotated by a key that ends when they do, and say when an answer is a repeated one', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const manager = await api().newKey({ account: newAccount(), scopes: SCOPES, terms: OWN, expiresAt });
    const { id } = await made(manager, { ...READER, expiresAt });
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, again] = [
      await act(manager, id, 'rotate', {}, headers),
      await act(manager, id, 'rotate', {}, headers),
    ];
    const replays = [first, again].map((one) => [one.status, one.headers.get('Idempotent-Replayed')]);
    expect(replays).to.deep.equal([
      [200, null],
      [200, 'true'],
    ]);
  });

  it('have four earlier secrets at most that still work', async () => {
    const manager = await newManager();
    const { id } = await made(manager, READER);
    const overlap = () => act(manager, id, 'rotate', { overlapSeconds: 600 });
    for (let times = 0; times < 4; times += 1) expect((await overlap()).status).to.equal(200);
    const refused = await overlap();
    expect([refused.status, refused.body.error.details]).to.deep.equal([
      409,
      [{ path: 'overlapSeconds', message: 'must be 0 for now', limit: '4' }],
    ]);
  });

  it('that are revoked take their mandate with them, and say whether they know the secret of notifyUrl', async () => {
    const account = newAccount();
    const owner = await api().newKey({ account, scopes: SCOPES, terms: OWN });
    const [thief, other] = [
      await api().newKey({ account, scopes: ['webhooks:manage'] }),
      await api().newKey({ account, scopes: ['webhooks:manage'] }),
    ];
    expect((await api().post('/v1/notify-secret', {}, thief)).status).to.equal(200);
    const knows: unknown[] = [];
    for (const { keyId } of [other, thief]) {
      const { data } = (await act(owner, keyId, 'revoke')).body;
      expect(data['mandate']).to.deep.include({ status: 'revoked' });
      knows.push((data['left'] as { knowsNotifySecret: boolean }).knowsNotifySecret);
    }
    expect(knows).to.deep.equal([false, true]);
  });

  it('leave the jobs that they made and that go on, and no others', async () => {
    const { keyId, accountId } = api().buyer;
    const open = async () => (await leftBehind(api().services, keyId, accountId)).openJobs;
    const before = await open();
    for (const status of ['draft', 'funded', 'running', 'completed', 'cancelled'] as const)
      await api().jobIn(status);
    await api().services.projector.caughtUp();
    expect((await open()) - before).to.equal(3);
    const other = await api().newKey({ account: newAccount() });
    expect((await leftBehind(api().services, other.keyId, accountId)).openJobs).to.equal(0);
  });
});
