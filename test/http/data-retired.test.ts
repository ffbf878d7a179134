/** Rows that their source lists no more: for 90 days they can be read; then only mirrors are told that they went. */
import { expect } from 'chai';
import { type DataApi, fieldOf, startDataApi } from '../support/data-api.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SERVERS = 'directory/mcp/servers';
const rows = ['stays', 'goes', 'goes too'].map((name) => ({
  id: name.replace(' ', '-'),
  name,
  url: `https://${name.replace(' ', '-')}.example/`,
  category: 'said by its source',
}));
const staying = rows.slice(0, 1);
const LISTS = ['/api/v1/tools', '/api/v1/models', `/api/v1/${SERVERS}`];

describe('A row that its source lists no more', () => {
  const goneAt = Date.now();
  let api: DataApi;
  let nowMs = goneAt;
  let early: string;
  before(async () => {
    api = await startDataApi({ now: () => nowMs });
    for (const dataset of ['tools', 'models', SERVERS]) {
      await api.importInto(dataset, rows);
      early = String((await api.read('/api/v1/changes')).body.meta['cursor']);
      await api.importInto(dataset, staying, { isComplete: true, mayRetireMany: true });
    }
  });
  after(() => api.close());
  afterEach(() => (nowMs = goneAt));

  const idsIn = async (list: string, query: string) => fieldOf('id', ...(await api.walk(`${list}?${query}`)));

  it('is in the lists that ask for it, and at its address, for 90 days', async () => {
    nowMs = goneAt + 90 * DAY_MS;
    for (const list of LISTS) {
      expect(await idsIn(list, 'status=retired'), list).to.deep.equal(['goes', 'goes-too']);
      expect(await idsIn(list, 'status=all&q=goes'), list).to.deep.equal(['goes', 'goes-too']);
    }
    for (const one of ['tools', 'models']) {
      const { status, body } = await api.read(`/api/v1/${one}/goes`);
      expect([status, (body.data as unknown as { status: string }).status]).to.deep.equal([200, 'retired']);
    }
  });

  it('is in no list and at no address after that', async () => {
    nowMs = goneAt + 91 * DAY_MS;
    for (const list of LISTS) {
      expect(await idsIn(list, 'status=retired'), list).to.deep.equal([]);
      expect(await idsIn(list, 'status=all'), list).to.deep.equal(['stays']);
      expect(await idsIn(list, 'status=all&q=goes'), list).to.deep.equal([]);
      expect((await api.read(`${list}?status=all`)).body.meta['total'], list).to.equal(1);
    }
    for (const one of ['tools', 'models']) {
      const { status, body } = await api.read(`/api/v1/${one}/goes`);
      expect([status, body.error.code]).to.deep.equal([404, 'not_found']);
      expect((await api.read(`/api/v1/${one}/stays`)).status).to.equal(200);
    }
  });

  it('is still told of as gone to mirrors, without what its source said', async () => {
    const now = await api.read('/api/v1/changes?dataset=tools');
    expect(now.body.data.at(-1)).to.include({ id: 'goes-too', category: 'said by its source' });
    nowMs = goneAt + 91 * DAY_MS;
    const later = await api.read('/api/v1/changes?dataset=tools');
    const gone = later.body.data.at(-1);
    expect(gone).to.include({ id: 'goes-too', dataset: 'tools', status: 'retired', sourceUrl: null });
    expect(gone).to.not.have.any.keys('name', 'category', 'url', 'sourceFields');
    expect(later.body.data[0]).to.include({ id: 'stays', category: 'said by its source' });
  });

  it('is told of to a mirror that comes with a cursor of its last good day', async () => {
    nowMs = goneAt + 90 * DAY_MS;
    const answer = await api.read(`/api/v1/changes?after=${encodeURIComponent(early)}`);
    expect(answer.body.data.map(({ id, status }) => `${String(id)} ${String(status)}`)).to.deep.equal([
      'goes retired',
      'goes-too retired',
    ]);
  });

  it('goes on in its list from a cursor of the day before', async () => {
    for (const status of ['retired', 'all']) {
      nowMs = goneAt;
      const { body } = await api.read(`/api/v1/tools?status=${status}&limit=1`);
      const cursor = encodeURIComponent(String(body.meta['nextCursor']));
      nowMs = goneAt + 2 * DAY_MS;
      const next = await api.read(`/api/v1/tools?status=${status}&limit=1&cursor=${cursor}`);
      expect(next.body.data.length, status).to.equal(1);
      const other = status === 'all' ? 'retired' : 'all';
      expect((await api.read(`/api/v1/tools?status=${other}&cursor=${cursor}`)).status).to.equal(400);
    }
  });

  it('keeps its id and its beginning when it returns, however late', async () => {
    const before = (await api.read('/api/v1/changes?dataset=models')).body.data.at(-1);
    nowMs = goneAt + 200 * DAY_MS;
    await api.importInto('models', rows);
    const { status, body } = await api.read('/api/v1/models/goes-too');
    expect(status).to.equal(200);
    expect(body.data).to.include({ status: 'listed', id: 'goes-too', firstSeenAt: before?.['firstSeenAt'] });
  });
});
