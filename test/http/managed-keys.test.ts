import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyringDecider } from '../../commands/keyring/keyring.ts';
import { unworkable } from '../../src/operations/keys/unworkable.ts';
import { readAll } from '../support/event-log.ts';
import { now } from '../support/job-flows.ts';
import { managingKeys, MANDATE, OWN } from './managing-keys.ts';

describe('Keys over the API', () => {
  const { api, lastAccount, newManager, make, buy, made, paths, patch } = managingKeys();

  it('are made by a key that may, work at once, and say who made them', async () => {
    const manager = await newManager();
    const answer = await make(manager);
    expect(answer.status, answer.text).to.equal(201);
    const { id, apiKey, madeBy, mandate } = answer.body.data;
    expect(answer.headers.get('Location')).to.match(new RegExp(`/v1/keys/${String(id)}$`));
    expect(madeBy).to.equal(`key:${manager.keyId}`);
    expect(mandate).to.deep.include(MANDATE);
    expect((await buy(String(apiKey))).status).to.equal(201);
    const events = await readAll(api().services.events, `key-${String(id)}`);
    expect(events.map(({ meta }) => meta.actor)).to.deep.equal([`key:${manager.keyId}`]);
    const read = await api().get(`/v1/keys/${String(id)}`, manager);
    expect(read.body.data).to.deep.include({ id, status: 'active' });
    expect(read.text).not.to.include(String(apiKey));
    const listed = await api().get('/v1/keys', manager);
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
    const { body } = await api().get('/v1/keys', manager);
    expect(body.data).to.have.lengthOf(2);
  });

  it('need the scope', async () => {
    const { key } = await api().newKey({ scopes: ['trials:create'] });
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
    const { keyId } = await api().newKey({
      account: lastAccount(),
      scopes: ['trials:create'],
      terms: { allowedActions: [] },
    });
    const renamed = await patch(manager, keyId, { name: 'Old' });
    expect([renamed.status, renamed.body.data['name']]).to.deep.equal([200, 'Old']);
  });

  it('are checked name by name, each once and few at a time', async () => {
    const { commands } = api().services;
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
    const { state } = await api().services.commands.load(keyringDecider, manager.accountId, now());
    expect(state.allowance).to.equal(null);
    const terms = { ...OWN, maxMonthlyCents: 1_000_000, allowedActions: ['trial:create'], validFrom: null };
    const rest = { expiresAt: null, maxSpendsPerMonth: null, allowedAgencies: null, allowedAgents: null };
    const allowance = {
      scopes: ['trials:create'],
      terms: { ...terms, ...rest },
      expiresAt: null,
      maxKeys: 2,
    };
    await api().services.commands.run(
      keyringDecider,
      manager.accountId,
      { type: 'SetKeyAllowance', accountId: manager.accountId, allowance },
      { at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() },
    );
    const mandate = { ...MANDATE, maxMonthlyCents: 400_000 };
    expect(paths(await make(manager, { mandate }))).to.deep.equal(['scopes']);
    expect((await make(manager, { mandate, scopes: ['trials:create'] })).status).to.equal(201);
  });
});
