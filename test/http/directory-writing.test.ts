import { exampleOf } from '../../events/catalog.ts';
import { expect } from 'chai';
import { agentDecider } from '../../commands/agent/agent.ts';
import { MAX_EVIDENCE } from '../../commands/agent/submit-evidence.ts';
import { directoryWritingRoutes } from '../../src/http/directory-writing-routes.ts';
import { routes } from '../../src/http/routes.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { call } from '../support/run-commands.ts';

const { profile } = exampleOf('AgencyRegistered');
const { listing } = exampleOf('AgentPublished');
const { expiresAt: _expired, ...timeless } = exampleOf('EvidenceSubmitted').evidence;
/** Of today, for the market runs by the real clock. */
const evidence = { ...timeless, issuedAt: new Date().toISOString() };
const { assessment } = exampleOf('AssessmentRecorded');
const { version, profile: bundleProfile, manifest } = exampleOf('BundleVersionPublished');
const { agency: _agency, ...ownListing } = listing;
const { agency: _provider, ...ownBundle } = bundleProfile;

const known = new Set(routes.map(({ operation }) => operation.name));
const all = [...routes, ...directoryWritingRoutes.filter(({ operation }) => !known.has(operation.name))];

describe('The writing side of the directory', () => {
  let api: TestApi;
  let operator: string;
  let provider: string;
  let rival: string;
  before(async () => {
    api = await startApi({ routes: all });
    operator = (await api.newKey({ scopes: ['operator:write'] })).key;
    provider = (await api.newKey({ scopes: ['provider:fulfil'], agency: 'ledgerworks' })).key;
    rival = (await api.newKey({ scopes: ['provider:fulfil'], agency: 'rival' })).key;
  });
  after(() => api.close());

  const asOperator = (method: string, path: string, body: object) =>
    send(method, `/v1/operator${path}`, body, operator);
  const send = (method: string, path: string, body: object, key: string, headers = {}) =>
    api.send(method, path, {
      key,
      rawBody: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('takes a market from its methodology to a scored agent, readable at once', async () => {
    const early = await asOperator('PUT', '/agencies/ledgerworks', profile);
    expect(early.status).to.equal(201);
    const tooEarly = await asOperator('PUT', '/agents/invoice-matcher', {
      ...listing,
      agency: 'ledgerworks',
    });
    expect(tooEarly.status).to.equal(409);
    const published = await asOperator('PUT', '/methodology', exampleOf('MethodologyPublished').methodology);
    expect(published.status).to.equal(201);
    expect((await asOperator('PUT', '/agencies/rival', { ...profile, name: 'Rival' })).status).to.equal(201);

    const listed = await asOperator('PUT', '/agents/invoice-matcher', { ...listing, agency: 'ledgerworks' });
    expect(listed.status).to.equal(201);
    expect(listed.headers.get('location')).to.match(/\/v1\/agents\/invoice-matcher$/);
    expect((await api.get('/v1/agents/invoice-matcher')).status).to.equal(200);

    expect((await asOperator('POST', '/agents/invoice-matcher/evidence', evidence)).status).to.equal(200);
    const assessed = await asOperator('POST', '/agents/invoice-matcher/assessments', assessment);
    expect(assessed.body.data.events).to.deep.equal(['AssessmentRecorded', 'AgentScored']);
    const record = await api.get('/v1/agents/invoice-matcher/verification');
    expect(record.body.data).to.include({ trustScore: 60, reason: 'assessment' });
  });

  it('tags a list by its meta too, where its rows are stored texts', async () => {
    const [twenty, more] = await Promise.all([
      api.get('/v1/changes?limit=20'),
      api.get('/v1/changes?limit=21'),
    ]);
    expect(more.body.data).to.deep.equal(twenty.body.data);
    expect(more.headers.get('ETag')).to.not.equal(twenty.headers.get('ETag'));
  });

  it('changes nothing when the same is said again', async () => {
    const again = await asOperator('PUT', '/agents/invoice-matcher', { ...listing, agency: 'ledgerworks' });
    expect(again.status).to.equal(200);
    expect(again.body.data).to.deep.equal({ events: [], position: null });
  });

  it('answers the same Idempotency-Key with the first outcome', async () => {
    const headers = { 'idempotency-key': 'suspend-1' };
    const path = '/v1/operator/agents/invoice-matcher/suspend';
    const first = await send('POST', path, { reason: 'Silent.' }, operator, headers);
    await asOperator('POST', '/agents/invoice-matcher/resume', {});
    const second = await send('POST', path, { reason: 'Silent.' }, operator, headers);
    expect(second.headers.get('idempotent-replayed')).to.equal('true');
    expect(second.body.data).to.deep.equal(first.body.data);
    expect(first.body.data['position']).to.be.a('string');
    const other = await send('POST', path, { reason: 'Loud.' }, operator, headers);
    expect(other.status).to.equal(422);
  });

  it('says which field is wrong', async () => {
    const wrong = await asOperator('POST', '/agents/invoice-matcher/assessments', {
      ...assessment,
      check: 'charm',
    });
    expect(wrong.status).to.equal(400);
    expect(wrong.body.error.details).to.deep.equal([
      { path: 'check', message: 'methodology 1.0 has no check charm' },
    ]);
    const unsafe = { ...listing, agency: 'ledgerworks', links: { homepage: 'javascript:alert(1)' } };
    const refused = await asOperator('PUT', '/agents/other', unsafe);
    expect(refused.status).to.equal(400);
    expect(refused.body.error.details?.[0]?.path).to.equal('links.homepage');
    const broken = { ...exampleOf('MethodologyPublished').methodology, version: 'two' };
    expect((await asOperator('PUT', '/methodology', broken)).body.error.details?.[0]?.path).to.equal(
      'version',
    );
  });

  it('says of a slug that cannot be one what is wrong with it, where it would be made, and finds nothing elsewhere', async () => {
    const made = await asOperator('PUT', '/agents/Not_a_slug', { ...listing, agency: 'ledgerworks' });
    expect([made.status, made.body.error.details?.[0]?.path]).to.deep.equal([400, 'slug']);
    const changed = await asOperator('POST', '/agents/Not_a_slug/suspend', { reason: 'Silent.' });
    expect([changed.status, changed.body.error.code]).to.deep.equal([404, 'not_found']);
  });

  it('lists no agent under a word of our own addresses, where none could read it', async () => {
    const answer = await send('PUT', '/v1/provider/agents/compare', ownListing, provider);
    expect(answer.status).to.equal(400);
    expect(answer.body.error.details).to.deep.equal([
      { path: 'slug', message: 'compare is a word of our own addresses' },
    ]);
    const words = routes.flatMap(({ path }) => /^\/v1\/agents\/([a-z0-9-]+)$/.exec(path)?.[1] ?? []);
    expect(words).to.deep.equal(['compare']);
  });

  it('is closed without the scope', async () => {
    const answer = await send(
      'POST',
      '/v1/operator/agents/invoice-matcher/retire',
      { reason: 'Mine.' },
      provider,
    );
    expect(answer.status).to.equal(403);
  });

  it('lets an agency write about its own and find nothing of others', async () => {
    const own = await send('PUT', '/v1/provider/agents/own-agent', ownListing, provider);
    expect(own.status).to.equal(201);
    for (const [method, path, body] of [
      ['PUT', '/v1/provider/agents/own-agent', ownListing],
      ['POST', '/v1/provider/agents/own-agent/evidence', evidence],
      ['POST', '/v1/provider/agents/own-agent/retire', { reason: 'Theirs.' }],
      ['POST', '/v1/provider/agents/nothing/retire', { reason: 'Theirs.' }],
    ] as const) {
      expect((await send(method, path, body, rival)).status, path).to.equal(404);
    }
    expect(
      (await send('POST', '/v1/provider/agents/own-agent/evidence', evidence, provider)).status,
    ).to.equal(200);
    const bundle = { version, ...ownBundle, files: manifest.files };
    expect((await send('PUT', '/v1/provider/bundles/own-bundle', bundle, provider)).status).to.equal(201);
    expect((await send('PUT', '/v1/provider/bundles/own-bundle', bundle, rival)).status).to.equal(404);
    expect(
      (await send('PUT', '/v1/provider/agency', { ...profile, name: 'Renamed' }, provider)).status,
    ).to.equal(200);
  });

  it('needs a key that acts for an agency', async () => {
    const { key } = await api.newKey({ scopes: ['provider:fulfil'] });
    expect((await send('PUT', '/v1/provider/agents/x', ownListing, key)).status).to.equal(403);
  });

  it('takes no more evidence about an agent than may be on record, and says so', async () => {
    const path = '/agents/invoice-matcher/evidence';
    const { commands } = api.services;
    const submit = (index: number) => {
      const piece = { ...evidence, id: `filler-${index}` };
      const command = { type: 'SubmitEvidence', evidence: piece } as const;
      return commands.run(agentDecider, 'invoice-matcher', command, call({ at: evidence.issuedAt }));
    };
    await Promise.all(Array.from({ length: MAX_EVIDENCE - 1 }, (_, index) => submit(index)));
    const full = await asOperator('POST', path, { ...evidence, id: 'one-more' });
    expect([full.status, full.body.error.code]).to.deep.equal([409, 'conflict']);
    expect(full.body.error.message).to.equal(
      'the agent invoice-matcher has 500 pieces of evidence on record, and may have no more',
    );
    expect(full.body.error.details).to.deep.equal([
      { path: 'evidence', message: 'evidence is limited', limit: '500' },
    ]);
    const again = await asOperator('POST', path, { ...evidence, id: 'filler-0' });
    expect([again.status, again.body.data['events']]).to.deep.equal([200, []]);
  });

  it('retires for good', async () => {
    const retired = await asOperator('POST', '/agents/invoice-matcher/retire', { reason: 'Replaced.' });
    expect(retired.status).to.equal(200);
    expect((await api.get('/v1/agents/invoice-matcher')).status).to.equal(404);
    const again = await asOperator('PUT', '/agents/invoice-matcher', { ...listing, agency: 'ledgerworks' });
    expect(again.status).to.equal(409);
  });
});
