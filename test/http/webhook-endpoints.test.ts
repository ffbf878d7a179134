/** What an account reads and changes of its endpoints, and of what was sent to them. */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { freshId } from '../../events/ids.ts';
import { MAX_CHANGES_A_DAY } from '../../commands/changes-a-day.ts';
import { placesDecider, placesId } from '../../commands/places/places.ts';
import { ofEndpoint } from '../../src/operations/private-texts/private-texts.ts';
import { addEndpoint, runOnEndpoint } from '../../src/operations/webhooks/change-endpoint.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';
import { type JobApi, now, startJobApi } from '../support/job-flows.ts';

const URL = 'https://buyer.example/hooks';
const newId = (kind: 'delivery' | 'webhookEndpoint') => freshId(kind, now(), randomUUID());

describe('Endpoints over the API', () => {
  let api: JobApi;
  let owner: TestKey;
  before(async () => (api = await startJobApi()));
  after(() => api.close());
  let accounts = 0;
  beforeEach(async () => {
    accounts += 1;
    owner = await newKey();
  });

  const newKey = () => api.newKey({ account: `endpoints-${accounts}`, scopes: ['webhooks:manage'] });
  const make = async (key = owner, headers = {}) => {
    const { body } = await api.post('/v1/webhook-endpoints', { url: URL }, { key: key.key, headers });
    return String(body.data['id']);
  };
  const patch = (id: string, changes: object, key = owner, headers = {}): Promise<TestAnswer> =>
    api.send('PATCH', `/v1/webhook-endpoints/${id}`, {
      key: key.key,
      headers: { 'Content-Type': 'application/json', ...headers },
      rawBody: JSON.stringify(changes),
    });
  const act = (id: string, action: string, key = owner) =>
    api.post(`/v1/webhook-endpoints/${id}/${action}`, {}, key);

  it('say which key made them, moved them last, and was shown the secret in force', async () => {
    const [mover, next, rotator] = [await newKey(), await newKey(), await newKey()];
    const id = await make();
    const told = await patch(id, { types: ['job.failed'] }, mover);
    expect(told.body.data, 'what it is told of is neither address nor note').to.include({
      madeBy: owner.keyId,
      changedBy: null,
      secretMadeBy: owner.keyId,
    });
    expect((await patch(id, { url: URL }, mover)).body.data).to.include({ changedBy: null });
    await patch(id, { url: `${URL}/1` }, mover);
    expect((await patch(id, { url: `${URL}/2` }, next)).body.data).to.include({ changedBy: next.keyId });
    expect((await act(id, 'rotate-secret', rotator)).body.data).to.include({
      madeBy: owner.keyId,
      changedBy: next.keyId,
      secretMadeBy: rotator.keyId,
    });
  });

  it('say that their owner has disabled them, until they are enabled', async () => {
    const id = await make();
    expect((await act(id, 'disable')).body.data).to.include({ status: 'disabled', disabledReason: 'owner' });
    expect((await act(id, 'enable')).body.data).to.include({ status: 'enabled', disabledReason: null });
  });

  it('change a hundred times in a day, and can be stopped all the same', async () => {
    const id = await make();
    for (let n = 0; n < MAX_CHANGES_A_DAY; n += 1)
      expect((await patch(id, { description: `Note ${n}` })).status, `change ${n}`).to.equal(200);
    await act(id, 'disable');
    for (const refused of [await patch(id, { description: 'Once more' }), await act(id, 'enable')]) {
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'conflict']);
      expect(refused.body.error.details).to.deep.equal([
        { path: 'endpoint', message: 'changes are limited', limit: '100' },
      ]);
    }
    expect((await api.send('DELETE', `/v1/webhook-endpoints/${id}`, owner)).status).to.equal(200);
  });

  it('answer a repeated change with what they were right after it', async () => {
    const id = await make();
    const headers = { 'Idempotency-Key': 'once' };
    await patch(id, { url: `${URL}/1` }, owner, headers);
    await patch(id, { url: `${URL}/2`, types: ['job.failed'] });
    const again = await patch(id, { url: `${URL}/1` }, owner, headers);
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(again.body.data).to.include({ url: `${URL}/1`, types: null });
  });

  it('of an account alone are listed', async () => {
    const id = await make();
    accounts += 1;
    await make(await newKey());
    const { body } = await api.get('/v1/webhook-endpoints', owner);
    expect(body.data.map((one) => one['id'])).to.deep.equal([id]);
  });

  describe('are counted by what became of them', () => {
    const wanted = { url: URL, types: null, description: '' };
    const cause = { actor: 'cli', requestId: 'test' };
    const add = (at: string) => {
      const ofOne = { ...api.services, limits: { ...api.services.limits, webhookEndpoints: 1 } };
      return addEndpoint(ofOne, owner.accountId, wanted, { ...cause, at, commandId: 'add' });
    };

    it('also where they were added before any place was kept', async () => {
      const { accountId } = owner;
      const cipher = await api.services.privateTexts.cipherOf(accountId);
      if (cipher === null) throw new Error('the account has a key');
      const endpointId = newId('webhookEndpoint');
      const text = cipher.encrypt(ofEndpoint(endpointId), JSON.stringify({ url: URL, description: '' }));
      const endpoint = { endpointId, accountId, types: null, text };
      const call = { ...cause, at: now(), commandId: 'before' };
      await runOnEndpoint(api.services, endpointId, { type: 'AddWebhookEndpoint', endpoint }, call);
      await api.services.projector.caughtUp();
      expect(await add(now())).to.deep.include({ ok: false });
    });

    it('and not where they were never made, once there was time enough to make them', async () => {
      const place = { kind: 'webhook-endpoints', owner: owner.accountId } as const;
      const holder = newId('webhookEndpoint');
      const command = { type: 'TakePlace', ...place, holder, limit: 1, standing: [] } as const;
      const call = { ...cause, at: now(), commandId: 'take' };
      await api.services.commands.run(placesDecider, placesId(place), command, call);
      expect(await add(now())).to.deep.include({ ok: false });
      const later = new Date(Date.now() + 61_000).toISOString();
      expect(await add(later)).to.deep.include({ ok: true });
    });
  });

  describe('list what was sent to them', () => {
    const send = async (endpointId: string, count: number): Promise<readonly string[]> => {
      const sent = Array.from({ length: count }, (_, n) => ({
        id: newId('delivery'),
        accountId: owner.accountId,
        endpointId,
        url: URL,
        type: 'job.drafted' as const,
        jobId: null,
        body: '{}',
        eventId: `evt_${n}`,
        createdAt: new Date(Date.parse('2026-11-27T09:30:00.000Z') + n).toISOString(),
      }));
      await api.services.deliveries.begin(sent);
      return sent.map(({ id }) => id).toReversed();
    };
    const page = (id: string, more = '') =>
      api.get(`/v1/webhook-endpoints/${id}/deliveries?limit=2${more}`, owner);

    it('page by page, the newest first, each once', async () => {
      const id = await make();
      const sent = await send(id, 5);
      const seen: unknown[] = [];
      let cursor = '';
      for (let pages = 1; pages <= 3; pages += 1) {
        const { body } = await page(id, cursor);
        expect(body.meta).to.include({ total: 5, limit: 2 });
        expect(body.meta['nextCursor'] === null, `page ${pages}`).to.equal(pages === 3);
        seen.push(...body.data.map((one) => one['id']));
        cursor = `&cursor=${String(body.meta['nextCursor'])}`;
      }
      expect(seen).to.deep.equal(sent);
    });

    it('and take no cursor of another endpoint, nor one that is none', async () => {
      const [id, other] = [await make(), await make(owner, { 'Idempotency-Key': 'other' })];
      await send(id, 3);
      const { body } = await page(id);
      for (const [of, cursor] of [
        [other, body.meta['nextCursor']],
        [id, 'nothing'],
      ]) {
        const refused = await page(String(of), `&cursor=${String(cursor)}`);
        expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'invalid_cursor']);
      }
    });
  });
});
