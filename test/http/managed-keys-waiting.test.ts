/** Whoever is told that a key was changed finds the change in force: the answer waits for the views that say so. */
import { expect } from 'chai';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { apiKeysProjection } from '../../projections/api-keys.ts';
import { keySecretsProjection } from '../../projections/key-secrets.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { notifySecretsProjection, webhookEndpointsProjection } from '../../projections/webhook-endpoints.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { MANDATE, OWN, SCOPES } from './managing-keys.ts';

describe('Changed keys over views that stand still until somebody waits for them', () => {
  let api: JobApi;
  let manager: TestKey;
  let release = (): void => {};
  let held: Promise<void> | null = null;
  /** Views whose last rows are shown only once somebody has waited for them. */
  const behind = new Set<string>();

  const inMemory = memoryViewStore();
  const views: ViewStore = {
    ...inMemory,
    async commit(commits) {
      if (held !== null) await held;
      return inMemory.commit(commits);
    },
    async page(view, query) {
      const page = await inMemory.page(view, query);
      return behind.has(view) ? { ...page, rows: [], next: null } : page;
    },
    getJson: async (view, key) => (behind.has(view) ? undefined : inMemory.getJson(view, key)),
  };
  before(async () => {
    api = await startJobApi({ engines: { views } });
    const { projector } = api.services;
    const reached: typeof projector.reached = (view, position, timeoutMs) => {
      behind.delete(view);
      if (view === keySecretsProjection.name) go();
      return projector.reached(view, position, timeoutMs);
    };
    Object.assign(api.services, { projector: { ...projector, reached } });
  });
  after(() => api.close());
  beforeEach(async () => void (manager = await api.newKey({ scopes: SCOPES, terms: OWN })));
  afterEach(() => {
    behind.clear();
    go();
  });

  function go(): void {
    release();
    held = null;
  }
  /** The views take in nothing more until somebody waits for those of the secrets. */
  async function whileHeld(change: () => Promise<TestAnswer>): Promise<TestAnswer> {
    await api.services.projector.caughtUp();
    held = new Promise((resolve) => (release = resolve));
    const answer = await change();
    expect(answer.status, answer.text).to.be.oneOf([200, 201]);
    return answer;
  }
  const make = async () => {
    const body = { name: 'Buyer', scopes: ['trials:create', 'jobs:read'], mandate: MANDATE };
    const made = await whileHeld(() => api.post('/v1/keys', body, manager));
    return { id: String(made.body.data['id']), key: String(made.body.data['apiKey']) };
  };
  const statusFor = async (key: string): Promise<number> => (await api.get('/v1/jobs', { key })).status;

  it('have those that were made, with the secret that was shown', async () => {
    expect(await statusFor((await make()).key)).to.equal(200);
  });

  it('have what was amended', async () => {
    const { id, key } = await make();
    await whileHeld(() =>
      api.send('PATCH', `/v1/keys/${id}`, {
        ...manager,
        headers: { 'Content-Type': 'application/json' },
        rawBody: JSON.stringify({ scopes: ['trials:create'] }),
      }),
    );
    expect(await statusFor(key)).to.equal(403);
  });

  it('have the new secret, and the old one no more', async () => {
    const { id, key } = await make();
    const rotated = await whileHeld(() => api.post(`/v1/keys/${id}/rotate`, {}, manager));
    expect(await statusFor(String(rotated.body.data['apiKey']))).to.equal(200);
    expect(await statusFor(key)).to.equal(401);
  });

  it('have those no more that were revoked', async () => {
    const { id, key } = await make();
    await whileHeld(() => api.post(`/v1/keys/${id}/revoke`, {}, manager));
    expect(await statusFor(key)).to.equal(401);
  });

  it('name all that a revoked key leaves, from each of the views that know of it', async () => {
    const shared = { account: 'leaving', terms: { ...OWN, maxMonthlyCents: 100_000 } };
    const [owner, thief] = [
      await api.newKey({ ...shared, scopes: SCOPES }),
      await api.newKey({ ...shared, scopes: [...SCOPES, 'webhooks:manage'] }),
    ];
    const url = 'https://thief.example/';
    const endpoint = await api.post('/v1/webhook-endpoints', { url }, thief);
    await api.post('/v1/notify-secret', {}, thief);
    const second = await api.post('/v1/keys', { name: 'Second', scopes: ['jobs:read'] }, thief);
    await api.services.projector.caughtUp();
    for (const { name } of [apiKeysProjection, webhookEndpointsProjection, notifySecretsProjection])
      behind.add(name);
    const { body } = await api.post(`/v1/keys/${thief.keyId}/revoke`, {}, owner);
    expect(body.data['left']).to.deep.equal({
      keys: [{ id: second.body.data['id'], name: 'Second' }],
      endpoints: [{ id: endpoint.body.data['id'], url }],
      knowsNotifySecret: true,
    });
  });
});
