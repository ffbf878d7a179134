import { expect } from 'chai';
import { amendEndpoint } from '../../src/operations/webhooks/amend-endpoint.ts';
import { AGENT, now as timestamp } from '../support/job-flows.ts';

import { notifying } from './notifying.ts';

const NEVER_REACHED = [
  'http://buyer.example/',
  'nothing',
  'ftp://x.example/',
  'wss://buyer.example/',
  'https://me:secret@buyer.example/',
  'https://me@buyer.example/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://10.0.0.7:8443/hooks',
  'https://169.254.169.254/latest',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[fd00::1]/',
  // They only look public: ISATAP of 10.0.0.1, and a block that nobody was given.
  'https://[2606:4700::200:5efe:a00:1]/',
  'https://[2d00::1]/',
  'https://buyer.example:22/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://erp.localhost/',
  'https://erp.local/',
  'https://erp.internal/',
  'https://erp/',
  'https://erp.test/',
  'https://buyer.example:6379/',
];

describe('Notifications of an endpoint', () => {
  const { world, api, base, listen, until, to, deliveriesOf, stop, verified } = notifying();

  it('go to the new address of a changed endpoint, also those under way, under the secret that it has', async () => {
    world.clockMs = 0;
    const { path, id, secret } = await listen(api().buyer, ['job.cancelled']);
    world.answer = (asked) => (asked === path ? 500 : 204);
    await api().jobIn('cancelled');
    await until(async () => (await deliveriesOf(id))[0]?.attempts === 1);
    const changed = await api().send('PATCH', `/v1/webhook-endpoints/${id}`, {
      ...api().buyer,
      rawBody: JSON.stringify({ types: ['*'], description: 'moved' }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(changed.body.data).to.include({ id, types: null, description: 'moved', status: 'enabled' });
    // Addresses of this machine are refused at the door.
    const moved = `${base()}${path}-moved`;
    const call = { at: timestamp(), actor: 'cli', requestId: 'test', commandId: moved };
    const { ok } = await amendEndpoint(api().services, api().buyer.accountId, id, { url: moved }, call);
    expect(ok).to.equal(true);
    expect((await api().get(`/v1/webhook-endpoints/${id}`, api().buyer)).body.data).to.include({
      url: moved,
      description: 'moved',
    });
    await api().services.projector.caughtUp();
    world.clockMs += 60_000;
    await until(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    verified(secret, to(`${path}-moved`)[0]!);
    await api().jobIn('draft');
    await until(() => to(`${path}-moved`).some(({ body }) => body.includes('job.drafted')));
    await stop(id);
  });

  it('are sent to test an endpoint, once for each Idempotency-Key, whatever it wants to be told of', async () => {
    world.clockMs = 0;
    world.askedAtMs = Date.now();
    const { path, id, secret } = await listen(api().buyer, ['job.cancelled']);
    const test = (key: string) =>
      api().post(
        `/v1/webhook-endpoints/${id}/test`,
        {},
        { ...api().buyer, headers: { 'Idempotency-Key': key } },
      );
    const [first, again, second] = [await test('one'), await test('one'), await test('two')];
    expect([first.status, again.status, second.status]).to.deep.equal([202, 202, 429]);
    expect(second.body.error.message).to.equal('an endpoint is sent one test in 5 s');
    expect(Number(second.headers.get('Retry-After'))).to.be.within(1, 5);
    world.askedAtMs = null;
    expect(again.body.data['id']).to.equal(first.body.data['id']);
    await until(() => to(path).length === 1);
    const message = verified(secret, to(path)[0]!);
    expect(message).to.deep.include({ type: 'webhook_endpoint.test', data: { endpointId: id } });
    await until(async () => (await deliveriesOf(id)).every(({ state }) => state === 'delivered'));
    await api().post(`/v1/webhook-endpoints/${id}/disable`, {}, api().buyer);
    const refused = await test('three');
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'conflict']);
    await stop(id);
    expect((await test('four')).status).to.equal(404);
    expect(to(path)).to.have.length(1);
  });

  it('go to one endpoint however often its making is tried again under one key', async () => {
    const key = await api().newKey({ scopes: ['webhooks:manage'] });
    const make = (url: string) =>
      api().post('/v1/webhook-endpoints', { url }, { ...key, headers: { 'Idempotency-Key': 'once' } });
    const made = await Promise.all(Array.from({ length: 5 }, () => make('https://buyer.example/h')));
    made.push(await make('https://buyer.example/h'));
    expect(new Set(made.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(new Set(made.map(({ body }) => body.data['id'])).size).to.equal(1);
    expect(new Set(made.map(({ body }) => body.data['secret'])).size).to.equal(1);
    expect(made.at(-1)?.headers.get('Idempotent-Replayed')).to.equal('true');
    expect((await make('https://other.example/')).status).to.equal(422);
  });

  it('keep an address as it is read, without what a terminal obeys', async () => {
    const key = await api().newKey({ scopes: ['webhooks:manage'] });
    const url = 'https://buyer.example/a\tb\u202ec\u0007/d';
    const { body } = await api().post('/v1/webhook-endpoints', { url }, key);
    expect(body.data['url']).to.equal('https://buyer.example/ab%E2%80%AEc%07/d');
  });

  it('take public https addresses alone, and at most twenty', async () => {
    const key = await api().newKey({ scopes: ['webhooks:manage'] });
    for (const url of NEVER_REACHED) {
      const { status, body } = await api().post('/v1/webhook-endpoints', { url }, key);
      expect([status, body.error.details?.[0]?.path], url).to.deep.equal([400, 'url']);
      const trial = { agent: AGENT, brief: 'Do it.', notifyUrl: url };
      const refused = await api().post('/v1/trials', trial, api().buyer);
      expect([refused.status, refused.body.error.details?.[0]?.path], url).to.deep.equal([400, 'notifyUrl']);
    }
    for (let i = 0; i < 20; i += 1) {
      expect(
        (await api().post('/v1/webhook-endpoints', { url: `https://buyer.example/${i}` }, key)).status,
      ).to.equal(201);
      await api().services.projector.caughtUp();
    }
    expect(
      (await api().post('/v1/webhook-endpoints', { url: 'https://buyer.example/' }, key)).status,
    ).to.equal(409);
  });
});
