/** GET /api/v1/tools: every parameter, its pages, and what is said beside the rows. */
import { expect } from 'chai';
import { PLANS } from '../../commands/subscription/plans.ts';
import { type DataApi, fieldOf, LIST_ATTRIBUTION, startDataApi } from '../support/data-api.ts';

const TOOLS = '/api/v1/tools';

const rows = [
  { name: 'Ledger Lens', category: 'Finance', pricing: 'open-source', source: 'list one' },
  {
    name: 'Paper Trail',
    category: 'finance',
    description: 'Reads a ledger and its papers.',
    pricing: 'paid',
  },
  { name: 'Ledger', category: 'Writing', source: 'List One' },
  { name: 'Émile', category: 'Ledgers', pricing: 'free', source: 'list two' },
  { name: 'Zebra', category: 'Animals', website: { stripes: true } },
].map((row) => ({ url: `https://${encodeURIComponent(row.name)}.example/`, ...row }));

describe('GET /api/v1/tools', () => {
  let api: DataApi;
  before(async () => {
    api = await startDataApi();
    await api.importInto('tools', rows);
  });
  after(() => api.close());

  const names = async (query: string) => fieldOf('name', await api.read(TOOLS + query));
  const faultsOf = async (query: string): Promise<unknown[]> => {
    const { status, body } = await api.read(TOOLS + query);
    return [status, body.error.code, ...(body.error.details ?? []).map(({ path }) => path)];
  };

  it('lists rows by name, as the source has them, with what is known of each and of all', async () => {
    const { status, body } = await api.read(TOOLS);
    expect(status).to.equal(200);
    expect(fieldOf('name', await api.read(TOOLS))).to.deep.equal([
      'Émile',
      'Ledger',
      'Ledger Lens',
      'Paper Trail',
      'Zebra',
    ]);
    const zebra = body.data.at(-1);
    expect(zebra).to.deep.include({ website: { stripes: true }, dataset: 'tools', status: 'listed' });
    expect(zebra).to.deep.include({
      sourceUrl: 'https://Zebra.example/',
      attribution: LIST_ATTRIBUTION.text,
    });
    expect(body.meta).to.deep.include({ limit: 20, nextCursor: null, total: 5 });
    expect(body.meta).to.deep.include({ attribution: LIST_ATTRIBUTION, position: zebra?.['position'] });
    expect(body.meta).to.not.have.property('sync');
  });

  it('searches words and beginnings of words, the best matches first', async () => {
    expect(await names('?q=ledger')).to.deep.equal(['Ledger', 'Ledger Lens', 'Émile', 'Paper Trail']);
    expect(await names('?q=ledger+len')).to.deep.equal(['Ledger Lens']);
    expect(await names('?q=emil')).to.deep.equal(['Émile']);
    expect(await names('?q=%C3%89MIL')).to.deep.equal(['Émile']);
    expect(await names('?q=stripes')).to.deep.equal([]);
    expect(await names('?q=...')).to.deep.equal([]);
  });

  it('filters by category, pricing and source whatever their case', async () => {
    expect(await names('?category=FINANCE')).to.deep.equal(['Ledger Lens', 'Paper Trail']);
    expect(await names('?category=finance&pricing=paid')).to.deep.equal(['Paper Trail']);
    expect(await names('?source=list+one')).to.deep.equal(['Ledger', 'Ledger Lens']);
    expect(await names('?source=list+one&q=lens')).to.deep.equal(['Ledger Lens']);
    expect(await names('?category=Finances')).to.deep.equal([]);
  });

  it('walks to the end by cursors and by links, each row once', async () => {
    const all = await api.walk(`${TOOLS}?limit=2`);
    expect(all.map(({ body }) => body.data.length)).to.deep.equal([2, 2, 1]);
    expect(fieldOf('name', ...all)).to.deep.equal(await names(''));
    expect(fieldOf('name', ...(await api.walk(`${TOOLS}?q=ledger&limit=1`)))).to.deep.equal(
      await names('?q=ledger'),
    );
    const linked: unknown[] = [];
    for (let path: string | undefined = `${TOOLS}?limit=1&category=finance`; path;) {
      const answer = await api.read(path);
      linked.push(...fieldOf('name', answer));
      path = /^<(.+)>; rel="next"$/.exec(answer.headers.get('Link') ?? '')?.[1];
    }
    expect(linked).to.deep.equal(['Ledger Lens', 'Paper Trail']);
  });

  it('refuses a cursor of another question', async () => {
    const { body } = await api.read(`${TOOLS}?limit=2`);
    const cursor = String(body.meta['nextCursor']);
    expect((await api.read(`${TOOLS}?cursor=${cursor}`)).status).to.equal(200);
    for (const other of [`?category=finance&cursor=${cursor}`, `?status=all&cursor=${cursor}`, '?cursor=odd'])
      expect(await faultsOf(other)).to.deep.equal([400, 'invalid_cursor']);
  });

  it('names whatever is wrong with a question', async () => {
    const faults: Readonly<Record<string, string>> = {
      '?limit=0': 'limit',
      '?limit=101': 'limit',
      '?limit=ten': 'limit',
      '?categroy=finance': 'categroy',
      '?provider=acme': 'provider',
      '?status=gone': 'status',
      '?updatedSince=yesterday': 'updatedSince',
      '?format=xml': 'format',
      '?q=': 'q',
      [`?q=${'x'.repeat(201)}`]: 'q',
      '?q=a&q=b': 'q',
      [`?q=${'abcdefghijklmnopq'.split('').join('+')}`]: 'q',
      '?category=%ff': 'category',
    };
    for (const [query, path] of Object.entries(faults))
      expect(await faultsOf(query), query).to.deep.equal([400, 'invalid_request', path]);
  });

  it('has nothing new for whoever has the answer, whatever key and plan, and gives the quota back', async () => {
    const { key } = await api.customer('starter');
    const first = await api.get(`${TOOLS}?limit=2`, { key });
    const tag = first.headers.get('ETag') ?? '';
    const quotaOf = ({ headers }: { headers: Headers }) => Number(headers.get('X-Quota-Remaining'));
    expect(quotaOf(first)).to.equal(PLANS.starter.perMonth - 1);
    const again = await api.get(`${TOOLS}?limit=2`, { key, headers: { 'If-None-Match': tag } });
    expect([again.status, again.text, quotaOf(again)]).to.deep.equal([304, '', PLANS.starter.perMonth - 1]);
    expect(again.headers.get('X-RateLimit-Remaining')).to.equal(String(PLANS.starter.perMinute - 2));
    const others = await api.read(`${TOOLS}?limit=2`, { 'If-None-Match': tag });
    expect(others.status, 'of another account and plan').to.equal(304);
    expect([first.headers.get('Cache-Control'), first.headers.get('Vary')]).to.deep.equal([
      'private, no-cache',
      'Authorization',
    ]);
    const other = await api.read(`${TOOLS}?limit=3`, { 'If-None-Match': tag });
    expect(other.status, 'another question').to.equal(200);
  });

  it('shows retired rows to whoever asks for them, and has a new tag when a row changes', async () => {
    const { headers } = await api.read(TOOLS);
    const since = new Date().toISOString();
    const [lens, trail, , ...others] = rows;
    const changed = [lens, { ...trail, pricing: 'free' }, ...others].filter((row) => row !== undefined);
    await api.importInto('tools', changed, { isComplete: true, mayRetireMany: true });
    const after = await api.read(TOOLS, { 'If-None-Match': headers.get('ETag') ?? '' });
    expect([after.status, after.body.meta['total']]).to.deep.equal([200, 4]);
    expect(await names('?status=retired')).to.deep.equal(['Ledger']);
    expect(await names('?status=all&q=ledger')).to.include('Ledger');
    expect(await names(`?updatedSince=${since}`)).to.deep.equal(['Paper Trail']);
    expect(await names(`?updatedSince=${since}&status=all`)).to.deep.equal(['Ledger', 'Paper Trail']);
    expect(await names('?updatedSince=2999-01-01T00:00:00%2B02:00')).to.deep.equal([]);
  });
});
