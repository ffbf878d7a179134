/** GET /api/v1/models and one of them: every filter and sort, and ids as they come. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type DataApi, fieldOf, startDataApi } from '../support/data-api.ts';

const MODELS = '/api/v1/models';
const UPSTREAM = new URL('../../../shared/data/upstream/openrouter-models.json', import.meta.url);

const model = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  name: id,
  created: 1_700_000_000,
  context_length: 8_000,
  architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
  pricing: { prompt: '0.000001', completion: '0.000002' },
  supported_parameters: ['max_tokens'],
  ...more,
});
const sees = { input_modalities: ['text', 'image'], output_modalities: ['text'] };
const draws = { input_modalities: ['text'], output_modalities: ['image'] };

const rows = [
  model('acme/Lens-2:free', { name: 'Acme: Lens 2', pricing: { prompt: '0', completion: '0' } }),
  model('acme/eye', { architecture: sees, context_length: 128_000, supported_parameters: ['tools', 'seed'] }),
  model('Brush/b/c', { architecture: draws, created: 1_800_000_000, pricing: { prompt: '0.00000075' } }),
  model('router/auto', { pricing: { prompt: '-1', completion: '-1' } }),
  model('odd', { context_length: null, pricing: null, architecture: null, description: 'nothing is said' }),
];

describe('GET /api/v1/models', () => {
  let api: DataApi;
  before(async () => {
    api = await startDataApi();
    await api.importInto('models', rows);
  });
  after(() => api.close());

  const ids = async (query: string) => fieldOf('id', await api.read(MODELS + query));
  const faultsOf = async (query: string): Promise<unknown[]> => {
    const { status, body } = await api.read(MODELS + query);
    return [status, body.error.code, ...(body.error.details ?? []).map(({ path }) => path)];
  };

  it('filters by each of its fields', async () => {
    expect(await ids('?provider=ACME')).to.deep.equal(['acme/eye', 'acme/Lens-2:free']);
    expect(await ids('?modality=image')).to.deep.equal(['acme/eye', 'Brush/b/c']);
    expect(await ids('?inputModality=image')).to.deep.equal(['acme/eye']);
    expect(await ids('?outputModality=Image')).to.deep.equal(['Brush/b/c']);
    expect(await ids('?supports=tools')).to.deep.equal(['acme/eye']);
    expect(await ids('?minContextLength=128000')).to.deep.equal(['acme/eye']);
    expect(await ids('?minContextLength=128001')).to.deep.equal([]);
    expect(await ids('?maxPromptPrice=0.00000075')).to.deep.equal(['acme/Lens-2:free', 'Brush/b/c']);
    expect(await ids('?maxPromptPrice=0')).to.deep.equal(['acme/Lens-2:free']);
    expect(await ids('?maxPromptPrice=999999999'), 'none whose price depends').to.have.lengthOf(3);
    expect(await ids('?modality=image&provider=brush')).to.deep.equal(['Brush/b/c']);
  });

  it('sorts by name, age, context length and price', async () => {
    expect(await ids('')).to.have.lengthOf(5);
    expect((await ids('?sort=-createdAt'))[0]).to.equal('Brush/b/c');
    expect((await ids('?sort=-contextLength'))[0]).to.equal('acme/eye');
    expect((await ids('?sort=-contextLength')).at(-1), 'what is not known comes last').to.equal('odd');
    expect((await ids('?sort=promptPrice')).slice(0, 2)).to.deep.equal(['acme/Lens-2:free', 'Brush/b/c']);
    expect(fieldOf('id', ...(await api.walk(`${MODELS}?sort=promptPrice&limit=1`)))).to.deep.equal(
      await ids('?sort=promptPrice'),
    );
    expect(await ids('?q=lens&sort=relevance')).to.deep.equal(['acme/Lens-2:free']);
    expect(await ids('?q=acme')).to.deep.equal(['acme/eye', 'acme/Lens-2:free']);
  });

  it('names what is wrong with a question', async () => {
    const faults: Readonly<Record<string, string>> = {
      '?maxPromptPrice=1e-6': 'maxPromptPrice',
      '?maxPromptPrice=-1': 'maxPromptPrice',
      '?minContextLength=1.5': 'minContextLength',
      '?minContextLength=-1': 'minContextLength',
      '?sort=price': 'sort',
      '?sort=relevance': 'sort',
      '?category=x': 'category',
      '?supports=': 'supports',
    };
    for (const [query, path] of Object.entries(faults))
      expect(await faultsOf(query), query).to.deep.equal([400, 'invalid_request', path]);
  });

  it('keeps prices as the upstream writes them, and an odd row among the others', async () => {
    const { body } = await api.read(`${MODELS}/acme/eye`);
    expect(body.data).to.deep.include({ pricing: { prompt: '0.000001', completion: '0.000002' } });
    expect(body.data).to.deep.include({ perMillion: { prompt: '1', completion: '2' } });
    const auto = await api.read(`${MODELS}/router/auto`);
    expect(auto.body.data).to.deep.include({
      dynamicPricing: true,
      perMillion: { prompt: null, completion: null },
    });
    expect((await api.read(`${MODELS}/odd`)).body.data).to.deep.include({ contextLength: null, pricing: {} });
  });

  it('takes ids with slashes, colons and capitals, raw and percent-encoded', async () => {
    for (const { id } of rows) {
      const raw = await api.read(`${MODELS}/${id}`);
      const encoded = await api.read(`${MODELS}/${encodeURIComponent(id)}`);
      const half = await api.read(`${MODELS}/${id.replace('/', '%2f')}`);
      for (const answer of [raw, encoded, half])
        expect([answer.status, answer.body.data['id']], id).to.deep.equal([200, id]);
      expect(encoded.headers.get('ETag')).to.equal(raw.headers.get('ETag'));
      const again = await api.read(`${MODELS}/${id}`, { 'If-None-Match': raw.headers.get('ETag') ?? '' });
      expect(again.status).to.equal(304);
    }
    for (const id of ['acme/lens-2:free', 'acme', 'acme/', 'acme/eye/', 'acme/eye/x', 'x'.repeat(201), '%20'])
      expect((await api.read(`${MODELS}/${id}`)).status, id).to.equal(404);
    expect((await api.read(`${MODELS}/acme/eye?x=1`)).status).to.equal(400);
    expect((await api.send('HEAD', `${MODELS}/acme/eye`, await api.customer('pro'))).status).to.equal(200);
  });

  it('answers a retired model, and shows when its upstream is degraded', async () => {
    await api.importInto('models', rows.slice(1), { isComplete: true, mayRetireMany: true });
    const gone = await api.read(`${MODELS}/acme/Lens-2:free`);
    expect([gone.status, gone.body.data['status']]).to.deep.equal([200, 'retired']);
    expect(await ids('')).to.have.lengthOf(4);
    const tag = (await api.read(MODELS)).headers.get('ETag') ?? '';
    await api.degrade('models');
    const { status, body } = await api.read(MODELS, { 'If-None-Match': tag });
    expect(status).to.equal(200);
    expect(body.meta['sync']).to.deep.include({ state: 'degraded', reason: 'empty' });
  });

  it('shows every model of the router, each by its own id', async function () {
    if (!existsSync(UPSTREAM)) return this.skip();
    const upstream = JSON.parse(readFileSync(UPSTREAM, 'utf8')) as { data: { id: string }[] };
    await api.importInto('models', upstream.data);
    const found = fieldOf('id', ...(await api.walk(`${MODELS}?limit=100`)));
    expect(found).to.include.members(upstream.data.map(({ id }) => id));
    for (const { id } of upstream.data.slice(0, 60))
      expect((await api.read(`${MODELS}/${id}`)).body.data['id']).to.equal(id);
    expect((await ids('?provider=anthropic&limit=100')).length).to.be.greaterThan(3);
  });
});
