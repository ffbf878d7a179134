import { expect } from 'chai';
import { routes } from '../../src/http/routes.ts';
import { startApi, type TestApi, type TestKey } from '../support/api.ts';
import { probes, written } from './probes.ts';

describe('Idempotency-Key', () => {
  let api: TestApi;
  let buyer: TestKey;
  before(async () => {
    api = await startApi({ routes: probes });
    buyer = await api.newKey({ scopes: ['jobs:cancel', 'trials:create'] });
  });
  after(() => api.close());
  beforeEach(() => written.splice(0));

  const post = (
    key: string | undefined,
    body: unknown = { label: 'a' },
    path = '/v1/probes',
    sender = buyer,
  ) =>
    api.post(path, body, {
      key: sender.key,
      ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
    });

  const commandIdOf = async (...sent: Parameters<typeof post>): Promise<string | undefined> => {
    written.splice(0);
    await post(...sent);
    return written[0]?.commandId;
  };

  it('makes the same request one command, answered alike', async () => {
    const first = await post('order-1');
    const second = await post('order-1');

    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect(second.text).to.equal(first.text);
    expect(second.headers.get('Location')).to.equal('/v1/probes/a');
    expect(first.headers.get('Idempotent-Replayed')).to.equal(null);
    expect(second.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(written).to.have.lengthOf(1);
  });

  it('is not needed: without one every request is a command of its own', async () => {
    await post(undefined);
    await post(undefined);
    expect(new Set(written.map(({ commandId }) => commandId)).size).to.equal(2);
    expect(written[0]).to.not.have.property('requestHash');
  });

  it('hashes the request as a JSON value: order, spacing and the null of an optional field do not matter', async () => {
    const hashOf = async (rawBody: string): Promise<string | undefined> => {
      written.splice(0);
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `k${Math.random()}` };
      await api.send('POST', '/v1/probes', { key: buyer.key, rawBody, headers });
      return written[0]?.requestHash;
    };
    const hash = await hashOf('{"label":"a","anything":{"x":1,"y":[1,2]}}');

    expect(hash).to.match(/^[0-9a-f]{64}$/);
    expect(await hashOf('{ "anything" : {"y":[1, 2.0], "x":1e0}, "label":"\\u0061" }')).to.equal(hash);
    expect(await hashOf('{"label":"a","count":null,"anything":{"x":1,"y":[1,2]},"notes":null}')).to.equal(
      hash,
    );
    expect(await hashOf('{"label":"a","anything":{"x":1,"y":[2,1]}}')).to.not.equal(hash);
    expect(await hashOf('{"label":"a","anything":{"x":1,"y":[1,2],"z":null}}')).to.not.equal(hash);
  });

  it('is no way round the limits of JSON: a number that no double holds has no hash', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'huge' };
    const rawBody = '{"label":"a","anything":{"x":[1e400]}}';
    const { status, body } = await api.send('POST', '/v1/probes', { key: buyer.key, rawBody, headers });
    expect([status, body.error.code]).to.deep.equal([400, 'invalid_json']);
  });

  it('belongs to the operation', async () => {
    expect(await commandIdOf('k', { label: 'a' }, '/v1/probes')).to.not.equal(
      await commandIdOf('k', { label: 'a' }, '/v1/other-probes'),
    );
  });

  it('belongs to the account, or for spends to the mandate', async () => {
    const account = 'shared-account';
    const scopes = ['jobs:cancel', 'trials:create'] as const;
    const [first, second] = [await api.newKey({ account, scopes }), await api.newKey({ account, scopes })];
    const idOf = (path: string, sender: TestKey) => commandIdOf('k', { label: 'a' }, path, sender);

    expect(await idOf('/v1/probes', first)).to.equal(await idOf('/v1/probes', second));
    expect(await idOf('/v1/spend-probes', first)).to.not.equal(await idOf('/v1/spend-probes', second));
    expect(await idOf('/v1/probes', first)).to.not.equal(await idOf('/v1/probes', buyer));
  });

  for (const key of ['a', 'x'.repeat(255), '~!"#$%&', '550e8400-e29b-41d4-a716-446655440000']) {
    it(`takes ${key.slice(0, 40)}`, async () => {
      expect((await post(key)).status).to.equal(201);
    });
  }

  for (const [what, key] of [
    ['nothing', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a space inside', 'a b'],
    ['a letter that is not ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status, body } = await post(key);
      expect([status, body.error.code]).to.deep.equal([400, 'invalid_request']);
      expect(body.error.details?.[0]?.path).to.equal('Idempotency-Key');
      expect(written).to.deep.equal([]);
    });
  }

  it('is refused with another request by every command that can be sent another one', () => {
    const deaf = routes
      .map(({ operation }) => operation)
      .filter(({ kind, refusals }) => kind === 'command' && !refusals.includes('idempotency_mismatch'));
    // Their address says all: the queue knows a redelivery or a test message by its key, and a digest is kept nowhere.
    expect(deaf.map(({ name }) => name).sort()).to.deep.equal([
      'redeliverWebhook',
      'renewDigest',
      'testWebhookEndpoint',
    ]);
  });

  it('means nothing to reads', async () => {
    const headers = { 'Idempotency-Key': 'a b' };
    expect((await api.get('/v1/probes/first', { headers })).status).to.equal(200);
  });
});
