/** `format=csv` on the lists of the Data API: who may have it, and that it is what JSON and the export say. */
import { parse } from 'csv-parse/sync';
import { expect } from 'chai';
import { type DataApi, fieldOf, LIST_ATTRIBUTION, startDataApi } from '../support/data-api.ts';

const LISTS = ['/api/v1/tools', '/api/v1/models', '/api/v1/directory/mcp/servers'];

const records = (text: string) => parse(text, { columns: true }) as Record<string, string>[];

describe('Lists of the Data API as CSV', () => {
  let api: DataApi;
  before(async () => {
    api = await startDataApi();
    await api.importInto('tools', [
      { name: 'Ledger, "the" Lens', url: 'https://lens.example/', category: 'Finance', stars: -5 },
      { name: '=1+1', url: 'https://sum.example/', category: 'Finance', pricing: '-12.50' },
      { name: 'Zebra', url: 'https://zebra.example/', category: 'Animals', description: 'two\nlines' },
    ]);
    await api.importInto('models', [{ id: 'acme/Lens:free', name: 'Lens', pricing: { prompt: '-1' } }]);
    await api.importInto('directory/mcp/servers', [{ externalId: 'io.x/one', name: 'One', author: '@one' }]);
    await api.importInto('directory/mcp/clients', [{ externalId: 'io.x/two', name: 'Two' }]);
  });
  after(() => api.close());

  it('are the records of the export, with its columns and guards, in the order that was asked for', async () => {
    for (const path of LISTS) {
      const { status, headers, text } = await api.read(`${path}?format=csv`);
      expect(status, path).to.equal(200);
      const file = path.replace('/api/v1/', '').replaceAll('/', '.');
      const exported = await api.read(`/api/v1/export/${file}.csv`);
      expect(text.split('\r\n')[0], path).to.equal(exported.text.split('\r\n')[0]);
      expect(records(text), path).to.have.deep.members(records(exported.text));
      expect(headers.get('Content-Type')).to.equal(exported.headers.get('Content-Type'));
      expect(headers.get('Content-Disposition')).to.equal(`attachment; filename="${file}.csv"`);
      const { body } = await api.read(path);
      expect(records(text).map(({ id }) => id)).to.deep.equal(body.data.map(({ id }) => id));
    }
    const { text } = await api.read('/api/v1/tools?format=csv&category=finance');
    expect(records(text).map(({ name, pricing, otherFields }) => [name, pricing, otherFields])).to.deep.equal(
      [
        ["'=1+1", '-12.50', ''],
        ['Ledger, "the" Lens', '', '{"stars":-5}'],
      ],
    );
    expect(records(text)[0]).to.include({ attribution: LIST_ATTRIBUTION.text, status: 'listed' });
  });

  it('are walked by links, with a header on each page, and have a header alone where nothing matches', async () => {
    const names: unknown[] = [];
    for (let path: string | undefined = '/api/v1/tools?limit=2&format=csv'; path;) {
      const { headers, text } = await api.read(path);
      names.push(...records(text).map(({ name }) => name));
      path = /^<(.+)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
    }
    expect(names).to.deep.equal(["'=1+1", 'Ledger, "the" Lens', 'Zebra']);
    const none = await api.read('/api/v1/tools?format=csv&q=nowhere');
    expect(none.text).to.match(/^id,dataset,[\w,]+,otherFields\r\n$/);
  });

  it('takes a cursor of the same question as JSON, and no other', async () => {
    const { body } = await api.read('/api/v1/tools?limit=1');
    const cursor = String(body.meta['nextCursor']);
    const next = await api.read(`/api/v1/tools?limit=1&format=csv&cursor=${cursor}`);
    const asJson = await api.read(`/api/v1/tools?limit=1&cursor=${cursor}`);
    expect(records(next.text).map(({ name }) => name)).to.deep.equal(fieldOf('name', asJson));
    const other = await api.read(`/api/v1/tools?limit=1&format=csv&q=zebra&cursor=${cursor}`);
    expect([other.status, other.body.error.code]).to.deep.equal([400, 'invalid_cursor']);
  });

  it('come with the plan enterprise, and count as any request does', async () => {
    for (const plan of ['starter', 'pro'] as const) {
      const { key } = await api.customer(plan);
      for (const path of LISTS) {
        const { status, body } = await api.get(`${path}?format=csv`, { key });
        expect([status, body.error.code], plan).to.deep.equal([403, 'plan_required']);
        expect((await api.get(`${path}?format=json`, { key })).status).to.equal(200);
      }
    }
    const { key } = await api.customer('enterprise');
    const left = async (headers: Record<string, string> = {}) => {
      const answer = await api.get('/api/v1/tools?format=csv', { key, headers });
      return [answer.status, Number(answer.headers.get('X-Quota-Remaining')), answer.headers] as const;
    };
    const [, first] = await left();
    expect(first).to.equal(10_000_000 - 1);
    const [, second, headers] = await left();
    expect(second).to.equal(first - 1);
    const known = await left({ 'If-None-Match': headers.get('ETag') ?? '' });
    expect(known.slice(0, 2), 'what is known is given back').to.deep.equal([304, second]);
  });

  it('have a tag of their own, which follows from data and question alone', async () => {
    const tagOf = async (path: string, key?: string) =>
      (await (key === undefined ? api.read(path) : api.get(path, { key }))).headers.get('ETag');
    const csv = await tagOf('/api/v1/tools?format=csv');
    expect(csv).to.match(/^"[0-9a-f]{24}"$/);
    expect(await tagOf('/api/v1/tools')).to.not.equal(csv);
    const { key } = await api.customer('enterprise');
    expect(await tagOf('/api/v1/tools?format=csv', key)).to.equal(csv);
    const json = await api.read('/api/v1/tools', { 'If-None-Match': String(csv) });
    expect(json.status, 'the form is part of the question').to.equal(200);
  });

  it('are not to be had of what is one row, or no list of rows', async () => {
    for (const path of [
      '/api/v1/models/acme/Lens:free',
      '/api/v1/changes',
      '/api/v1/directory',
      '/api/v1/usage',
    ]) {
      const { status, body } = await api.read(`${path}?format=csv`);
      expect([status, body.error.code], path).to.deep.equal([400, 'invalid_request']);
    }
  });
});
