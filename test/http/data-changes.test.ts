/** GET /api/v1/changes and /api/v1/directory: mirrors that are kept by changes alone. */
import { expect } from 'chai';
import type { TestAnswer } from '../support/api.ts';
import { type DataApi, fieldOf, startDataApi } from '../support/data-api.ts';
import { expectMirrorsToAgree } from '../support/data-mirror.ts';

const CHANGES = '/api/v1/changes';
const SERVERS = 'directory/mcp/servers';
const THEMES = 'directory/home-assistant/themes';
/** Each is kept over some imports; BOURSE_MIRRORS asks for more. */
const MIRRORS = Number(process.env.BOURSE_MIRRORS ?? 15);
const DAY_MS = 24 * 60 * 60 * 1_000;

const cursorOf = ({ body }: TestAnswer) => encodeURIComponent(String(body.meta['cursor']));

describe('GET /api/v1/changes', () => {
  let api: DataApi;
  let nowMs = Date.now();
  before(async () => {
    api = await startDataApi({ now: () => nowMs });
  });
  after(() => api.close());

  it('has nothing to tell of before the first import, and goes on from there', async () => {
    const first = await api.read(CHANGES);
    expect([first.body.data, first.body.meta['nextCursor']]).to.deep.equal([[], null]);
    await api.importInto('tools', [{ name: 'a' }, { name: 'b' }]);
    const second = await api.read(`${CHANGES}?after=${cursorOf(first)}`);
    expect(fieldOf('name', second)).to.have.members(['a', 'b']);
    expect(second.headers.get('Link')).to.equal(null);
    const none = await api.read(`${CHANGES}?after=${cursorOf(second)}`);
    expect(none.body.data).to.deep.equal([]);
    const again = await api.read(`${CHANGES}?after=${cursorOf(second)}`, {
      'If-None-Match': none.headers.get('ETag') ?? '',
    });
    expect(again.status, 'a mirror that is up to date asks for nothing').to.equal(304);
  });

  it('tells of each change in order: of revised, retired and returned rows, at the place of the last one', async () => {
    await api.importInto(
      SERVERS,
      ['x', 'y', 'z'].map((name) => ({ externalId: name, name })),
    );
    const start = await api.read(`${CHANGES}?dataset=${SERVERS}`);
    expect(fieldOf('id', start)).to.deep.equal(['x', 'y', 'z']);
    const all = { isComplete: true, mayRetireMany: true };
    await api.importInto(
      SERVERS,
      [
        { externalId: 'z', name: 'changed' },
        { externalId: 'y', name: 'y' },
      ],
      all,
    );
    const next = await api.read(`${CHANGES}?dataset=${SERVERS}&after=${cursorOf(start)}`);
    expect(next.body.data.map(({ id, status }) => [id, status])).to.deep.equal([
      ['z', 'listed'],
      ['x', 'retired'],
    ]);
    await api.importInto(SERVERS, [{ externalId: 'x', name: 'x' }]);
    const last = await api.read(`${CHANGES}?dataset=${SERVERS}&after=${cursorOf(next)}`);
    expect(last.body.data.map(({ id, status }) => [id, status])).to.deep.equal([['x', 'listed']]);
    const page = await api.read(`${CHANGES}?dataset=${SERVERS}&limit=2`);
    expect([fieldOf('id', page), page.body.meta['total']]).to.deep.equal([['y', 'z'], 3]);
    const linked = /^<(.+)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1] ?? '';
    expect(fieldOf('id', await api.read(linked))).to.deep.equal(['x']);
  });

  it('refuses what is no question of its own, and names why', async () => {
    const faultsOf = async (query: string): Promise<unknown[]> => {
      const { status, body } = await api.read(CHANGES + query);
      return [status, body.error.code, ...(body.error.details ?? []).map(({ path }) => path)];
    };
    const own = cursorOf(await api.read(`${CHANGES}?dataset=tools`));
    expect(await faultsOf(`?after=${own}`)).to.deep.equal([400, 'invalid_cursor']);
    expect(await faultsOf(`?dataset=${SERVERS}&after=${own}`)).to.deep.equal([400, 'invalid_cursor']);
    expect(await faultsOf('?after=0000000000000042')).to.deep.equal([400, 'invalid_cursor']);
    expect(await faultsOf('?dataset=directory/mcp/prompts')).to.deep.equal([
      400,
      'invalid_request',
      'dataset',
    ]);
    expect(await faultsOf('?dataset=Tools')).to.deep.equal([400, 'invalid_request', 'dataset']);
    expect(await faultsOf('?since=x')).to.deep.equal([400, 'invalid_request', 'since']);
  });

  it('takes a cursor for 90 days, and then says that it has expired', async () => {
    const cursor = cursorOf(await api.read(`${CHANGES}?dataset=tools`));
    const then = nowMs;
    nowMs = then + 90 * DAY_MS;
    const good = await api.read(`${CHANGES}?dataset=tools&after=${cursor}`);
    nowMs = then + 91 * DAY_MS;
    const late = await api.read(`${CHANGES}?dataset=tools&after=${cursor}`);
    const renewed = await api.read(`${CHANGES}?dataset=tools&after=${cursorOf(good)}`);
    nowMs = then;
    expect(good.status).to.equal(200);
    expect([late.status, late.body.error.code]).to.deep.equal([410, 'cursor_expired']);
    expect(renewed.status, 'who asks now and then has a new one').to.equal(200);
  });

  it('keeps a mirror that has what lists have and, byte for byte, what exports have, whatever is imported when', async function () {
    this.timeout(120_000 + MIRRORS * 5_000);
    await expectMirrorsToAgree(api, MIRRORS);
  });
});

describe('GET /api/v1/directory', () => {
  let api: DataApi;
  before(async () => {
    api = await startDataApi();
    await api.importInto(SERVERS, [
      { externalId: 'io.x/one', name: 'One', category: 'Files', author: 'ann' },
      { externalId: 'io.x/two', name: 'Two', description: 'reads files' },
    ]);
    await api.importInto(THEMES, [{ externalId: 'dark', name: 'Dark' }]);
    await api.importInto('tools', [{ name: 'no directory' }]);
  });
  after(() => api.close());

  it('says which platforms and types there are, with counts and when each changed', async () => {
    await api.importInto(SERVERS, [{ externalId: 'io.x/two', name: 'Two' }], {
      isComplete: true,
      mayRetireMany: true,
    });
    const { body } = await api.read('/api/v1/directory');
    expect(body.data.map(({ dataset }) => dataset)).to.deep.equal([THEMES, SERVERS]);
    const servers = body.data[1];
    expect(servers).to.deep.include({ platform: 'mcp', contentType: 'servers', listed: 1, retired: 1 });
    expect(Date.parse(String(servers?.['updatedAt']))).to.be.greaterThan(0);
    const page = await api.read('/api/v1/directory?limit=1');
    expect([
      page.body.meta['total'],
      page.headers.get('Link')?.startsWith('</api/v1/directory?limit=1&cursor='),
    ]).to.deep.equal([2, true]);
    expect((await api.walk('/api/v1/directory?limit=1')).length).to.equal(2);
  });

  it('lists the rows of one, and of no other', async () => {
    const names = async (query: string) =>
      fieldOf('name', await api.read(`/api/v1/directory/mcp/servers${query}`));
    expect(await names('?status=all')).to.deep.equal(['One', 'Two']);
    expect(await names('?status=all&q=files')).to.deep.equal(['One']);
    expect(await names('?status=retired&category=FILES')).to.deep.equal(['One']);
    expect(await names('?status=all&q=ann')).to.deep.equal(['One']);
    expect(await names('?q=dark')).to.deep.equal([]);
    expect((await api.read('/api/v1/directory/mcp/servers')).body.meta['attribution']).to.not.equal(null);
  });

  it('is not found where there is no such data set', async () => {
    for (const path of ['mcp/prompts', 'MCP/servers', 'mcp', 'mcp/servers/io.x', 'mcp%2Fservers/x'])
      expect((await api.read(`/api/v1/directory/${path}`)).status, path).to.equal(404);
    const odd = await api.read('/api/v1/directory/mcp/servers?pricing=free');
    expect([odd.status, odd.body.error.details?.[0]?.path]).to.deep.equal([400, 'pricing']);
  });
});
