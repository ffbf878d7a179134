import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyringDecider } from '../../commands/keyring/keyring.ts';
import { MAX_CHANGES_A_DAY } from '../../commands/changes-a-day.ts';
import { keyDecider } from '../../commands/key/key.ts';
import { revokeKey } from '../../src/operations/keys/revoke-key.ts';
import { changeMandate } from '../../src/operations/mandates/change-mandate.ts';
import { readAll } from '../support/event-log.ts';
import { now } from '../support/job-flows.ts';
import { managingKeys, MANDATE, OWN, SCOPES } from './managing-keys.ts';

describe('Keys over the API, once they are made', () => {
  const { api, newAccount, newManager, make, buy, made, paths, patch, act } = managingKeys();

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
      expect((await api().get('/v1/key', { key: one })).status).to.equal(200);
    await act(manager, id, 'rotate');
    for (const one of [key, String(apiKey)])
      expect((await api().get('/v1/key', { key: one })).status).to.equal(401);
    const own = await act(manager, manager.keyId, 'rotate');
    expect((await api().get('/v1/keys', { key: String(own.body.data['apiKey']) })).status).to.equal(200);
  });

  it('that have more than the key that asks are not rotated by it: whoever has the secret has the powers', async () => {
    const account = newAccount();
    const manager = await api().newKey({ account, scopes: SCOPES, terms: OWN });
    const rich = await api().newKey({ account, scopes: ['trials:create', 'operator:write'], terms: OWN });
    const answer = await act(manager, rich.keyId, 'rotate');
    expect([answer.status, paths(answer)]).to.deep.equal([403, ['scopes']]);
    expect((await api().get('/v1/key', rich)).status).to.equal(200);
    const agency = await api().newKey({ account, scopes: ['provider:fulfil'], agency: 'ledgerworks' });
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
    await changeMandate(api().services, manager.keyId, { type: 'SuspendMandate', reason: 'a thief?' }, call);
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
    expect((await api().get('/v1/key', { key })).status).to.equal(401);
    expect((await patch(manager, id, { name: 'Other' })).status).to.equal(409);
    const again = await make(manager, all);
    expect([again.status, paths(again)]).to.deep.equal([403, ['mandate.maxMonthlyCents']]);
    const reader = await make(manager, { scopes: ['jobs:read'], mandate: null });
    expect(reader.status, reader.text).to.equal(201);
  });

  it('that a revoked key made, or was shown a secret of that works, are named', async () => {
    const account = newAccount();
    const [thief, owner] = [
      await api().newKey({ account, scopes: SCOPES, terms: OWN }),
      await api().newKey({ account, scopes: SCOPES, terms: OWN }),
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
    await api().services.commands.run(keyringDecider, accountId, allot, begun);
    await revokeKey(api().services, keyId, 'lost', { ...begun, commandId: randomUUID() });
    const [ending, ring] = await Promise.all([
      api().services.commands.load(keyDecider, keyId, now()),
      api().services.commands.load(keyringDecider, accountId, now()),
    ]);
    if (ending.state.status === 'absent') throw new Error('the key is gone');
    const events = await readAll(api().services.events, `mandate-${ending.state.key.mandateId}`);
    expect(ring.state.ended?.period).to.equal(events.at(-1)?.at.slice(0, 7));
  });

  it('get neither the right to manage keys nor a longer life from a key that has no more itself', async () => {
    const account = newAccount();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const manager = await api().newKey({ account, scopes: SCOPES, terms: OWN, expiresAt });
    const reader = { scopes: ['jobs:read'], mandate: null, expiresAt };
    const managing = await make(manager, { ...reader, scopes: ['keys:manage'] });
    expect([managing.status, paths(managing)]).to.deep.equal([403, ['scopes']]);
    const endless = await make(manager, { ...reader, expiresAt: null });
    expect([endless.status, paths(endless)]).to.deep.equal([403, ['expiresAt']]);
    const { id } = await made(manager, reader);
    expect(paths(await patch(manager, id, { expiresAt: null }))).to.deep.equal(['expiresAt']);
    const outliving = await api().newKey({ account, scopes: ['jobs:read'] });
    expect(paths(await act(manager, outliving.keyId, 'rotate'))).to.include('expiresAt');
  });

  it('work by their newest secret at once, and by the one before for so long as was asked, a week at most', async () => {
    const manager = await newManager();
    let { id, key } = await made(manager, { scopes: ['jobs:read'], mandate: null });
    const status = async (secret: string) => (await api().get('/v1/key', { key: secret })).status;
    for (let times = 0; times < 5; times += 1) {
      const next = String((await act(manager, id, 'rotate')).body.data['apiKey']);
      expect([await status(next), await status(key)]).to.deep.equal([200, 401]);
      key = next;
    }
    const week = 604_800;
    const beforeMs = Date.now();
    const rotated = await act(manager, id, 'rotate', { overlapSeconds: week });
    const untilMs = Date.parse(String(rotated.body.data['previousWorksUntil']));
    expect(untilMs).to.be.within(beforeMs + week * 1_000 - 1_000, Date.now() + week * 1_000);
    const longer = await act(manager, id, 'rotate', { overlapSeconds: week + 1 });
    expect([longer.status, paths(longer)]).to.deep.equal([400, ['overlapSeconds']]);
  });

  it('change a hundred times in a day, and can be rotated and revoked all the same', async () => {
    const manager = await newManager();
    const { id } = await made(manager, { scopes: ['jobs:read'], mandate: null });
    for (let n = 0; n < MAX_CHANGES_A_DAY; n += 1)
      expect((await patch(manager, id, { name: `Name ${n}` })).status, `change ${n}`).to.equal(200);
    const refused = await patch(manager, id, { name: 'Once more' });
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'conflict']);
    expect(refused.body.error.details).to.deep.equal([
      { path: 'key', message: 'changes are limited', limit: '100' },
    ]);
    expect((await act(manager, id, 'rotate')).status).to.equal(200);
    expect((await act(manager, id, 'revoke')).status).to.equal(200);
  });

  it('take nothing of what is allowed by being rotated once they are revoked', async () => {
    const manager = await newManager();
    const { id } = await made(manager);
    await act(manager, id, 'revoke');
    expect((await act(manager, id, 'rotate')).body.error.code).to.equal('conflict');
    const { state } = await api().services.commands.load(keyringDecider, manager.accountId, now());
    expect(state.shares.has(id)).to.equal(false);
  });

  it('say so when they were suspended, resumed or revoked before by the same request', async () => {
    const manager = await newManager();
    const { id } = await made(manager);
    for (const action of ['suspend', 'resume', 'revoke']) {
      const headers = { 'Idempotency-Key': randomUUID() };
      const [first, again] = [
        await act(manager, id, action, {}, headers),
        await act(manager, id, action, {}, headers),
      ];
      const replays = [first, again].map((one) => one.headers.get('Idempotent-Replayed'));
      expect([again.status, ...replays], action).to.deep.equal([200, null, 'true']);
    }
  });

  it('that are revoked name the endpoint that they added the moment before', async () => {
    const account = newAccount();
    const owner = await api().newKey({ account, scopes: SCOPES, terms: OWN });
    for (let times = 0; times < 5; times += 1) {
      const thief = await api().newKey({ account, scopes: ['webhooks:manage'] });
      const url = 'https://thief.example/';
      const added = await api().post('/v1/webhook-endpoints', { url }, thief);
      const { body } = await act(owner, thief.keyId, 'revoke');
      expect(body.data['left']).to.deep.include({ endpoints: [{ id: added.body.data['id'], url }] });
    }
  });

  it('of another account look like none', async () => {
    const manager = await newManager();
    const { id } = await made(await newManager());
    const answers = [
      await api().get(`/v1/keys/${id}`, manager),
      await patch(manager, id, { name: 'Mine' }),
      ...(await Promise.all(['rotate', 'suspend', 'resume', 'revoke'].map((one) => act(manager, id, one)))),
    ];
    for (const { status } of answers) expect(status).to.equal(404);
  });
});
