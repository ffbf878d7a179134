import { exampleOf } from '../../events/catalog.ts';
import { expect } from 'chai';
import { webhookDecider } from '../../commands/webhook/webhook.ts';
import { placesDecider } from '../../commands/places/places.ts';
import { takePlace } from '../../src/operations/take-place.ts';
import type { TestKey } from '../support/api.ts';
import { type JobApi, now, startJobApi } from '../support/job-flows.ts';

const { listing } = exampleOf('AgentPublished');
const { agency: _agency, ...ownListing } = listing;
const { version, profile, manifest } = exampleOf('BundleVersionPublished');
const { agency: _provider, ...ownBundle } = profile;

const LIMITS = { webhookEndpoints: 20, listings: 1_000, profileChangesPerDay: 2, bundleVersionsPerDay: 2 };

describe('What an account or an agency may have so many of', () => {
  let api: JobApi;
  let key: TestKey;
  beforeEach(async () => {
    api = await startJobApi();
    key = await api.newKey({ scopes: ['webhooks:manage'] });
  });
  afterEach(() => api.close());

  const add = (n: number) => api.post('/v1/webhook-endpoints', { url: `https://buyer.example/${n}` }, key);
  const addMany = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => add(n)));

  it('are exactly so many endpoints, though forty are added at once and no view sees any', async () => {
    await api.services.projector.stop();
    const answers = await addMany(40);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).to.have.lengthOf(20);
    expect(statuses.filter((status) => status === 409)).to.have.lengthOf(20);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.error).to.deep.include({
      code: 'conflict',
      message: 'An account has at most 20 webhook endpoints: remove one first.',
      details: [{ path: 'account', message: 'webhook endpoints are limited', limit: '20' }],
    });
  });

  it('may have one more as soon as one is removed, also before a view knows', async () => {
    const [first] = await addMany(20);
    await api.services.projector.caughtUp();
    expect((await add(20)).status).to.equal(409);
    await api.services.projector.stop();
    const gone = await api.send('DELETE', `/v1/webhook-endpoints/${String(first?.body.data['id'])}`, {
      key: key.key,
    });
    expect([gone.status, gone.body.data['status']]).to.deep.equal([200, 'removed']);
    expect((await add(21)).status).to.equal(201);
    expect((await add(22)).status).to.equal(409);
  });

  it('do not count what was never made of a place, once its time is over', async () => {
    await addMany(19);
    const { commands } = api.services;
    const place = {
      kind: 'webhook-endpoints',
      owner: key.accountId,
      holder: 'whe_lost',
      limit: 20,
      standing: () => Promise.resolve([]),
      fateOf: () => Promise.resolve('stands' as const),
    } as const;
    const call = { at: now(), actor: 'test', requestId: 'test', commandId: 'test' };
    expect(await takePlace({ commands }, place, call)).to.equal(true);
    expect((await add(20)).status).to.equal(409);
    const other = { ...place, holder: 'whe_next', fateOf: fateOfEndpoint };
    const later = new Date(Date.now() + 61_000).toISOString();
    expect(await takePlace({ commands }, other, call)).to.equal(false);
    expect(await takePlace({ commands }, other, { ...call, at: later })).to.equal(true);
    const { state } = await commands.load(placesDecider, `webhook-endpoints-${key.accountId}`, later);
    expect([...state.held.keys()])
      .to.include('whe_next')
      .and.not.include('whe_lost');
  });
  async function fateOfEndpoint(holder: string): Promise<'never made' | 'stands'> {
    const { state } = await api.services.commands.load(webhookDecider, holder, now());
    return state.status === 'absent' ? 'never made' : 'stands';
  }

  describe('of an agency', () => {
    const put = (path: string, body: object, as = api.agency) => {
      const headers = { 'Content-Type': 'application/json' };
      return api.send('PUT', `/v1/provider${path}`, { key: as.key, headers, rawBody: JSON.stringify(body) });
    };
    it('are exactly so many agents and bundles, and its profile changes so often', async () => {
      await api.close();
      api = await startJobApi({ services: { limits: { ...LIMITS, listings: 5 } } });
      // The examples list one agent of it.
      const wanted = Array.from({ length: 8 }, (_, n) => put(`/agents/new-${n}`, ownListing));
      const statuses = (await Promise.all(wanted)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).to.have.lengthOf(4);
      const bundle = await put('/bundles/one', { version, ...ownBundle, files: manifest.files });
      expect([bundle.status, bundle.body.error.message]).to.deep.equal([
        409,
        'An agency lists at most 5 agents and bundles: retire one first.',
      ]);
      const kept = statuses.indexOf(201);
      expect((await put(`/agents/new-${kept}`, { ...ownListing, tagline: 'Newer.' })).status).to.equal(200);
      const retired = await api.post(
        `/v1/provider/agents/new-${kept}/retire`,
        { reason: 'Over.' },
        api.agency,
      );
      expect(retired.status, retired.text).to.equal(200);
      expect((await put('/agents/another', ownListing)).status).to.equal(201);

      const revise = (tagline: string) =>
        put('/agency', { ...exampleOf('AgencyRegistered').profile, tagline });
      expect([(await revise('One.')).status, (await revise('Two.')).status]).to.deep.equal([200, 200]);
      const often = await revise('Three.');
      expect([often.status, often.body.error.details?.[0]?.limit]).to.deep.equal([409, '2']);
      expect(often.body.error.message).to.match(/profile 2 times in a day; again from \d{4}-.*Z on\.$/);
    });

    it('are so many versions of a bundle in a day, and operators publish and retire it all the same', async () => {
      await api.close();
      api = await startJobApi({ services: { limits: LIMITS } });
      const operator = await api.newKey({ scopes: ['operator:write'] });
      const bundle = { ...ownBundle, files: manifest.files };
      const publish = (number: string) => put('/bundles/one', { version: number, ...bundle });
      const statuses = async (...numbers: string[]) => {
        const answers: number[] = [];
        for (const number of numbers) answers.push((await publish(number)).status);
        return answers;
      };
      expect(await statuses('1.0.0', '1.1.0', '1.0.0')).to.deep.equal([201, 201, 200]);
      const often = await publish('1.2.0');
      expect([often.status, often.body.error.code]).to.deep.equal([409, 'conflict']);
      expect(often.body.error.details).to.deep.equal([
        { path: 'version', message: 'versions of a bundle are limited', limit: '2' },
      ]);
      expect(often.body.error.message).to.match(
        /^An agency may publish 2 versions of a bundle in a day; again from \d{4}-.*Z on\.$/,
      );
      expect((await put('/bundles/two', { version, ...bundle })).status, 'each for itself').to.equal(201);

      const byOperator = await api.send('PUT', '/v1/operator/bundles/one', {
        key: operator.key,
        headers: { 'Content-Type': 'application/json' },
        rawBody: JSON.stringify({ version: '1.2.0', ...bundle, agency: profile.agency.slug }),
      });
      expect(byOperator.status, byOperator.text).to.equal(201);
      expect(await statuses('1.3.0')).to.deep.equal([409]);
      const retired = await api.post('/v1/operator/bundles/one/retire', { reason: 'Over.' }, operator);
      expect(retired.status, retired.text).to.equal(200);
    });
  });
});
