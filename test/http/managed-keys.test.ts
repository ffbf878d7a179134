import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyringDecider } from '../../commands/keyring/keyring.ts';
import { keyDecider } from '../../commands/key/key.ts';
import { revokeKey } from '../../src/operations/keys/revoke-key.ts';
import { suspendMandate } from '../../src/operations/mandates/change-mandate.ts';
import { unworkable } from '../../src/operations/keys/unworkable.ts';
import type { Scope } from '../../src/operations/operation.ts';
import { readAll } from '../support/event-log.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';
import { AGENT, type JobApi, now, startJobApi } from '../support/job-flows.ts';

const SCOPES: Scope[] = ['keys:manage', 'trials:create', 'jobs:read', 'mandate:read'];
const OWN = { maxPerTransactionCents: 5_000, maxMonthlyCents: 20_000 };
const MANDATE = { maxPerTransactionCents: 5_000, maxMonthlyCents: 8_000, allowedActions: ['trial:create'] };

describe('Keys over the API', () => {
  let api: JobApi;
  let accounts = 0;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const newManager = (): Promise<TestKey> =>
    api.newKey({ account: `managed-${(accounts += 1)}`, scopes: SCOPES, terms: OWN });
  const make = (manager: { key: string }, more: object = {}, headers = {}): Promise<TestAnswer> => {
    const body = { name: 'Buyer', scopes: ['trials:create', 'jobs:read'], mandate: MANDATE, ...more };
    return api.post('/v1/keys', body, { key: manager.key, headers });
  };
  const buy = (key: string) => api.post('/v1/trials', { agent: AGENT, brief: 'Do it.' }, { key });
  const made = async (manager: { key: string }, more: object = {}) => {
    const { status, text, body } = await make(manager, more);
    if (status !== 201) throw new Error(text);
    return { id: String(body.data['id']), key: String(body.data['apiKey']) };
  };
  const paths = ({ body }: TestAnswer) => body.error.details?.map(({ path }) => path);
  const patch = (manager: { key: string }, id: string, changes: object) =>
    api.send('PATCH', `/v1/keys/${id}`, {
      key: manager.key,
      headers: { 'Content-Type': 'application/json' },
      rawBody: JSON.stringify(changes),
    });
  const act = (manager: { key: string }, id: string, action: string, body: object = {}, headers = {}) =>
    api.post(`/v1/keys/${id}/${action}`, body, { key: manager.key, headers });

  it('are made by a key that may, work at once, and say who made them', async () => {
    const manager = await newManager();
    const answer = await make(manager);
    expect(answer.status, answer.text).to.equal(201);
    const { id, apiKey, madeBy, mandate } = answer.body.data;
    expect(answer.headers.get('Location')).to.match(new RegExp(`/v1/keys/${String(id)}$`));
    expect(madeBy).to.equal(`key:${manager.keyId}`);
    expect(mandate).to.deep.include(MANDATE);
    expect((await buy(String(apiKey))).status).to.equal(201);
    const events = await readAll(api.services.events, `key-${String(id)}`);
    expect(events.map(({ meta }) => meta.actor)).to.deep.equal([`key:${manager.keyId}`]);
    const read = await api.get(`/v1/keys/${String(id)}`, manager);
    expect(read.body.data).to.deep.include({ id, status: 'active' });
    expect(read.text).not.to.include(String(apiKey));
    const listed = await api.get('/v1/keys', manager);
    expect(listed.body.data.map((one) => one['id'])).to.include(id);
  });

  it('are made once by a request that is repeated, and the secret is not shown again', async () => {
    const manager = await newManager();
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await make(manager, {}, headers);
    const again = await make(manager, {}, headers);
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(again.body.data['id']).to.equal(first.body.data['id']);
    expect([first.body.data['apiKey'] === null, again.body.data['apiKey']]).to.deep.equal([false, null]);
    expect((await make(manager, { name: 'Other' }, headers)).status).to.equal(422);
    const { body } = await api.get('/v1/keys', manager);
    expect(body.data).to.have.lengthOf(2);
  });

  it('need the scope', async () => {
    const { key } = await api.newKey({ scopes: ['trials:create'] });
    expect((await make({ key })).body.error.code).to.equal('scope_missing');
  });

  it('never have more than the key that makes them, each nor all together, however many are made at once', async () => {
    const manager = await newManager();
    const answers = await Promise.all(Array.from({ length: 6 }, () => make(manager)));
    expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(2);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect([answer.status, answer.body.error.code]).to.deep.equal([403, 'allowance_exceeded']);
      expect(paths(answer)).to.deep.equal(['mandate.maxMonthlyCents']);
    }
    const other = await make(manager, { scopes: ['jobs:cancel', 'keys:manage'], mandate: null });
    expect([other.status, paths(other)]).to.deep.equal([403, ['scopes']]);
    const reader = await make(manager, { scopes: ['jobs:read'], mandate: null });
    expect(reader.status, reader.text).to.equal(201);
  });

  it('that could not work are refused with each field', async () => {
    const manager = await newManager();
    const answer = await make(manager, {
      expiresAt: '2020-01-01T00:00:00Z',
      mandate: { ...MANDATE, allowedActions: ['trail:create'], allowedAgents: ['nobody'] },
    });
    expect([answer.status, answer.body.error.code]).to.deep.equal([422, 'key_unworkable']);
    expect(paths(answer)).to.deep.equal(['expiresAt', 'mandate.allowedActions', 'mandate.allowedAgents']);
  });

  it('that are to buy and may spend on nothing are refused, when they are made and by a change', async () => {
    const manager = await newManager();
    for (const [mandate, path] of [
      [null, 'mandate.allowedActions'],
      [{ ...MANDATE, allowedActions: [] }, 'mandate.allowedActions'],
      [{ ...MANDATE, maxMonthlyCents: 0 }, 'mandate.maxMonthlyCents'],
      [{ ...MANDATE, maxPerTransactionCents: 0 }, 'mandate.maxPerTransactionCents'],
    ] as const) {
      const answer = await make(manager, { mandate });
      expect([answer.status, answer.body.error.code, paths(answer)]).to.deep.equal([
        422,
        'key_unworkable',
        [path],
      ]);
    }
    const reader = await made(manager, { scopes: ['jobs:read'], mandate: null });
    const changed = await patch(manager, reader.id, { scopes: ['trials:create', 'jobs:read'] });
    expect([changed.status, paths(changed)]).to.deep.equal([422, ['mandate.allowedActions']]);
    const both = { scopes: ['trials:create', 'jobs:read'], mandate: MANDATE };
    expect((await patch(manager, reader.id, both)).status).to.equal(200);
  });

  it('that could not work from before are renamed all the same', async () => {
    const manager = await newManager();
    const { keyId } = await api.newKey({
      account: `managed-${accounts}`,
      scopes: ['trials:create'],
      terms: { allowedActions: [] },
    });
    const renamed = await patch(manager, keyId, { name: 'Old' });
    expect([renamed.status, renamed.body.data['name']]).to.deep.equal([200, 'Old']);
  });

  it('are checked name by name, each once and few at a time', async () => {
    const { commands } = api.services;
    const loaded: string[] = [];
    let atOnce = 0;
    let most = 0;
    const counting: typeof commands = {
      ...commands,
      async load(decider, id, at) {
        loaded.push(id);
        most = Math.max(most, (atOnce += 1));
        try {
          return await commands.load(decider, id, at);
        } finally {
          atOnce -= 1;
        }
      },
    };
    const names = Array.from({ length: 150 }, (_, i) => `nobody-${i}`);
    const terms = { ...OWN, allowedActions: ['trial:create'], validFrom: null, expiresAt: null };
    const lists = { maxSpendsPerMonth: null, allowedAgencies: [], allowedAgents: [...names, ...names] };
    const wanted = { scopes: ['trials:create'], agency: null, expiresAt: null };
    const faults = await unworkable(
      { commands: counting },
      { ...wanted, terms: { ...terms, ...lists } },
      now(),
    );
    expect(faults.map(({ message }) => message)).to.deep.equal(
      names.map((one) => `there is no agent ${one}`),
    );
    expect(loaded).to.have.members(names);
    expect(most).to.equal(20);
  });

  it('have what an operator allows the account in place of what the key has itself', async () => {
    const manager = await newManager();
    const { state } = await api.services.commands.load(keyringDecider, manager.accountId, now());
    expect(state.allowance).to.equal(null);
    const terms = { ...OWN, maxMonthlyCents: 1_000_000, allowedActions: ['trial:create'], validFrom: null };
    const rest = { expiresAt: null, maxSpendsPerMonth: null, allowedAgencies: null, allowedAgents: null };
    const allowance = {
      scopes: ['trials:create'],
      terms: { ...terms, ...rest },
      expiresAt: null,
      maxKeys: 2,
    };
    await api.services.commands.run(
      keyringDecider,
      manager.accountId,
      { type: 'SetKeyAllowance', accountId: manager.accountId, allowance },
      { at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() },
    );
    const mandate = { ...MANDATE, maxMonthlyCents: 400_000 };
    expect(paths(await make(manager, { mandate }))).to.deep.equal(['scopes']);
    expect((await make(manager, { mandate, scopes: ['trials:create'] })).status).to.equal(201);
  });

  it('are amended within the same bounds; a null takes a limit away', async () => {
    const manager = await newManager();
    const { id, key } = await made(manager);
    const lowered = await patch(manager, id, {
      name: 'Less',
      mandate: { maxMonthlyCents: 1, maxSpendsPerMonth: 1 },
    });
    expect(lowered.status, lowered.text).to.equal(200);
    expect(lowered.body.data).to.deep.include({ name: 'Less' });
    expect(lowered.body.data['mandate']).to.deep.include({ maxMonthlyCents: 1, maxSpendsPerMonth: 1 });
    expect((await buy(key)).body.error.reason).to.equal('monthly_cap');
    const freed = await patch(manager, id, { mandate: { maxSpendsPerMonth: null, maxMonthlyCents: 8_000 } });
    expect(freed.body.data['mandate']).to.deep.include({ maxSpendsPerMonth: null });
    const raised = await patch(manager, id, { mandate: { maxMonthlyCents: 20_001 } });
    expect([raised.status, paths(raised)]).to.deep.equal([403, ['mandate.maxMonthlyCents']]);
    const self = await patch(manager, manager.keyId, { mandate: { maxMonthlyCents: 1 } });
    expect(self.body.error.code).to.equal('forbidden');
  });

  it('are rotated with an overlap, once by a repeated request', async () => {
    const manager = await newManager();
    const { id, key } = await made(manager);
    const headers = { 'Idempotency-Key': randomUUID() };
    const rotated = await act(manager, id, 'rotate', { overlapSeconds: 600 }, headers);
    const again = await act(manager, id, 'rotate', { overlapSeconds: 600 }, headers);
    expect(rotated.status, rotated.text).to.equal(200);
    const { apiKey, previousWorksUntil } = rotated.body.data;
    expect(again.body.data).to.deep.include({ apiKey: null, previousWorksUntil });
    for (const one of [key, String(apiKey)])
      expect((await api.get('/v1/key', { key: one })).status).to.equal(200);
    await act(manager, id, 'rotate');
    for (const one of [key, String(apiKey)])
      expect((await api.get('/v1/key', { key: one })).status).to.equal(401);
    const own = await act(manager, manager.keyId, 'rotate');
    expect((await api.get('/v1/keys', { key: String(own.body.data['apiKey']) })).status).to.equal(200);
  });

  it('that have more than the key that asks are not rotated by it: whoever has the secret has the powers', async () => {
    const account = `managed-${(accounts += 1)}`;
    const manager = await api.newKey({ account, scopes: SCOPES, terms: OWN });
    const rich = await api.newKey({ account, scopes: ['trials:create', 'operator:write'], terms: OWN });
    const answer = await act(manager, rich.keyId, 'rotate');
    expect([answer.status, paths(answer)]).to.deep.equal([403, ['scopes']]);
    expect((await api.get('/v1/key', rich)).status).to.equal(200);
    const agency = await api.newKey({ account, scopes: ['provider:fulfil'], agency: 'ledgerworks' });
    expect(paths(await act(manager, agency.keyId, 'rotate'))).to.deep.equal(['agency']);
  });

  it('are suspended and resumed, and not by a key that is suspended itself', async () => {
    const manager = await newManager();
    const { id, key } = await made(manager);
    expect((await act(manager, id, 'suspend', { reason: 'A look.' })).status).to.equal(200);
    expect((await buy(key)).body.error.reason).to.equal('mandate_suspended');
    expect((await act(manager, id, 'resume')).status).to.equal(200);
    expect((await buy(key)).status).to.equal(201);
    const call = { at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() };
    await suspendMandate(api.services, manager.keyId, 'a thief?', call);
    const refused = [
      await make(manager),
      await patch(manager, id, { name: 'Other' }),
      await act(manager, id, 'rotate'),
      await act(manager, manager.keyId, 'resume'),
    ];
    for (const { body } of refused) expect(body.error.code).to.equal('conflict');
    expect((await act(manager, id, 'suspend')).status, 'what only stops is done').to.equal(200);
  });

  it('are revoked for good, and what they had of the month is not given once more', async () => {
    const manager = await newManager();
    const all = { mandate: { ...MANDATE, maxMonthlyCents: 20_000 } };
    const { id, key } = await made(manager, all);
    expect((await make(manager)).status).to.equal(403);
    await buy(key);
    const revoked = await act(manager, id, 'revoke', { reason: 'lost' });
    expect(revoked.body.data).to.deep.include({ status: 'revoked' });
    expect(revoked.body.data['left']).to.deep.equal({ keys: [], endpoints: [], knowsNotifySecret: false });
    expect((await api.get('/v1/key', { key })).status).to.equal(401);
    expect((await patch(manager, id, { name: 'Other' })).status).to.equal(409);
    const again = await make(manager, all);
    expect([again.status, paths(again)]).to.deep.equal([403, ['mandate.maxMonthlyCents']]);
    const reader = await make(manager, { scopes: ['jobs:read'], mandate: null });
    expect(reader.status, reader.text).to.equal(201);
  });

  it('that a revoked key made, or was shown a secret of that works, are named', async () => {
    const account = `managed-${(accounts += 1)}`;
    const [thief, owner] = [
      await api.newKey({ account, scopes: SCOPES, terms: OWN }),
      await api.newKey({ account, scopes: SCOPES, terms: OWN }),
    ];
    const less = { scopes: ['jobs:read'], mandate: null };
    const own = await made(owner, less);
    const [overlapped, renewed] = [await made(owner, less), await made(owner, less)];
    for (const { id } of [own, overlapped, renewed])
      expect((await act(thief, id, 'rotate')).status, id).to.equal(200);
    expect((await act(owner, overlapped.id, 'rotate', { overlapSeconds: 600 })).status).to.equal(200);
    expect((await act(owner, renewed.id, 'rotate')).status).to.equal(200);
    const [gone, kept] = [await made(thief, less), await made(thief, less)];
    await act(owner, gone.id, 'revoke');
    await act(owner, kept.id, 'rotate');
    await act(thief, thief.keyId, 'rotate');
    const { body } = await act(owner, thief.keyId, 'revoke');
    const known = [own, overlapped, kept].map(({ id }) => ({ id, name: 'Buyer' }));
    expect(body.data['left']).to.deep.equal({ keys: known, endpoints: [], knowsNotifySecret: false });
  });

  it('count in the month in which their mandate ended, though the request to end them was begun before', async () => {
    const { keyId, accountId } = await newManager();
    const begun = {
      at: '2020-01-31T23:59:59.000Z',
      actor: 'cli',
      requestId: 'test',
      commandId: randomUUID(),
    };
    const terms = { ...OWN, allowedActions: [], validFrom: null, expiresAt: null, maxSpendsPerMonth: null };
    const otherwise = {
      scopes: [],
      terms: { ...terms, allowedAgencies: null, allowedAgents: null },
      expiresAt: null,
      maxKeys: 1,
    };
    const allot = { type: 'AllotKey', accountId, keyId, wanted: otherwise, otherwise } as const;
    await api.services.commands.run(keyringDecider, accountId, allot, begun);
    await revokeKey(api.services, keyId, 'lost', { ...begun, commandId: randomUUID() });
    const [ending, ring] = await Promise.all([
      api.services.commands.load(keyDecider, keyId, now()),
      api.services.commands.load(keyringDecider, accountId, now()),
    ]);
    if (ending.state.status === 'absent') throw new Error('the key is gone');
    const events = await readAll(api.services.events, `mandate-${ending.state.key.mandateId}`);
    expect(ring.state.ended?.period).to.equal(events.at(-1)?.at.slice(0, 7));
  });

  it('of another account look like none', async () => {
    const manager = await newManager();
    const { id } = await made(await newManager());
    const answers = [
      await api.get(`/v1/keys/${id}`, manager),
      await patch(manager, id, { name: 'Mine' }),
      ...(await Promise.all(['rotate', 'suspend', 'resume', 'revoke'].map((one) => act(manager, id, one)))),
    ];
    for (const { status } of answers) expect(status).to.equal(404);
  });
});
