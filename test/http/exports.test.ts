import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { parse } from 'csv-parse/sync';
import { expect } from 'chai';
import { createFolderScratch } from '../../infra/folder/scratch.ts';
import { changePlan } from '../../src/operations/plans/change-plan.ts';
import type { PlanName } from '../../events/plan.ts';
import { importAll, tool } from '../importing/importing.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import type { Scratch } from '../../src/ports/scratch.ts';
import { startApi, type TestApi, type TestKey } from '../support/api.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';

describe('Exports over HTTP', () => {
  let api: TestApi;
  let customer: TestKey;
  const store = memoryViewStore();
  let gate = Promise.resolve();
  let waiting = 0;
  const views: ViewStore = {
    ...store,
    async page(view, query) {
      if (query.order === 'position') {
        waiting += 1;
        await gate;
        waiting -= 1;
      }
      return store.page(view, query);
    },
  };
  const folder = createFolderScratch(tmpdir());
  let breaksOff = false;
  const scratch: Scratch = {
    async create() {
      const file = await folder.create();
      return {
        ...file,
        async *read(first, last) {
          if (!breaksOff) return yield* file.read(first, last);
          yield* file.read(first, last - 1);
          throw new Error('the disk is gone');
        },
      };
    },
  };
  before(async () => {
    api = await startApi({ engines: { views, scratch } });
    const { services } = api;
    const more = { attribution: { text: 'Tool lovers', url: null, licence: 'MIT' } };
    await importAll(services, [tool('plain'), tool('odd', { name: '=1+1', stars: -5 })], more);
    await importAll(services, [{ id: 'io.example/ledger', name: 'Ledger' }], {
      dataset: 'directory/mcp/servers',
    });
    await importAll(services, [{ id: 'acme/Lens:free', pricing: { prompt: '-1' } }], { dataset: 'models' });
    await services.projector.caughtUp();
    customer = await withPlan('enterprise');
  });
  after(() => api.close());

  async function withPlan(plan: PlanName): Promise<TestKey> {
    const account = `exporting-${plan}`;
    const key = await api.newKey({ account, scopes: ['data:read'] });
    const call = { at: new Date().toISOString(), actor: 'cli', requestId: 'test', commandId: randomUUID() };
    await changePlan(api.services, account, { type: 'ChoosePlan', plan }, call);
    return key;
  }
  const get = (path: string, headers: Record<string, string> = {}, key = customer) =>
    api.get(`/api/v1/export${path}`, { key: key.key, headers });
  const used = async (): Promise<number> => {
    const { month } = (await api.get('/api/v1/usage', customer)).body.data;
    return Number(Object(month)['used']);
  };

  it('come with the plan enterprise', async () => {
    const pro = await withPlan('pro');
    for (const path of ['', '/tools.csv', '/tools.csv/manifest']) {
      const answer = await get(path, {}, pro);
      expect([answer.status, answer.body.error.code], path).to.deep.equal([403, 'plan_required']);
    }
  });

  it('are told of: each data set in each format', async () => {
    const { body } = await get('');
    expect(body.data.map(({ dataset, listed }) => [dataset, listed])).to.deep.equal([
      ['directory/mcp/servers', 1],
      ['models', 1],
      ['tools', 2],
    ]);
    for (const { files } of body.data)
      for (const { url } of files as unknown as { url: string }[]) {
        const answer = await fetch(url.replace('http://market.test', api.url), {
          headers: { Authorization: `Bearer ${customer.key}` },
        });
        expect(answer.status, url).to.equal(200);
        await answer.arrayBuffer();
      }
  });

  it('are the file that their manifest tells of', async () => {
    const { data: manifest } = (await get('/tools.csv/manifest')).body;
    expect(manifest).to.deep.include({
      file: 'tools.csv',
      dataset: 'tools',
      rows: 2,
      attribution: { text: 'Tool lovers', url: null, licence: 'MIT' },
    });
    const answer = await get(String(manifest['url']).replace('http://market.test/api/v1/export', ''));
    expect(answer.status).to.equal(200);
    expect(Buffer.byteLength(answer.text)).to.equal(manifest['bytes']);
    expect(sha256(answer.text)).to.equal(manifest['sha256']);
    const header = (name: string) => answer.headers.get(name);
    expect(header('Content-Length')).to.equal(String(manifest['bytes']));
    expect(header('ETag')).to.equal(`"${String(manifest['sha256'])}"`);
    expect(header('X-Export-Position')).to.equal(manifest['position']);
    expect(header('Repr-Digest')).to.equal(
      `sha-256=:${Buffer.from(String(manifest['sha256']), 'hex').toString('base64')}:`,
    );
    expect(header('Content-Disposition')).to.include('tools.csv');
    expect(header('Content-Type')).to.include('text/csv');
    expect(header('X-Quota-Limit')).to.equal('10000000');
    const rows = parse(answer.text, { columns: true }) as Record<string, string>[];
    expect(rows.map(({ name, otherFields }) => [name, otherFields])).to.deep.equal([
      ['plain', ''],
      ["'=1+1", '{"stars":-5}'],
    ]);
  });

  it('whose file cannot be read to its end break the connection: what came passes for no whole file', async () => {
    for (const file of ['/tools.csv', '/tools.jsonl.gz']) {
      await get(file);
      breaksOff = true;
      const broken = rejectionOf(get(file));
      expect(await broken.finally(() => (breaksOff = false)), file).to.be.instanceOf(TypeError);
      expect((await get(file)).status).to.equal(200);
    }
  });

  it('can be asked for in part, and cost nothing where they are known', async () => {
    const whole = await get('/tools.jsonl');
    const part = await get('/tools.jsonl', { Range: 'bytes=5-9' });
    expect([part.status, part.text]).to.deep.equal([206, whole.text.slice(5, 10)]);
    const before = await used();
    // The description tells of no 304 beside bytes: generators would take its body for them.
    const known = await fetch(`${api.url}/api/v1/export/tools.jsonl`, {
      headers: {
        Authorization: `Bearer ${customer.key}`,
        'If-None-Match': String(whole.headers.get('ETag')),
      },
    });
    expect(known.status).to.equal(304);
    expect(await used()).to.equal(before);
  });

  it('are made twice at a time for one account, for nothing where there is no room, and again after', async () => {
    const servers = { dataset: 'directory/mcp/servers' };
    await importAll(api.services, [tool('plain', { stars: 1 })]);
    await importAll(api.services, [{ id: 'io.example/ledger', name: 'Ledger 2' }], servers);
    await api.services.projector.caughtUp();
    await get('/tools.csv');
    let open: () => void = () => {};
    gate = new Promise((resolve) => (open = resolve));
    const first = [get('/tools.jsonl'), get('/tools.csv.gz')];
    await until('one is made, and the other waits its turn', () => waiting === 1);
    const before = await used();
    const third = await get('/directory.mcp.servers.csv');
    expect([third.status, third.body.error.code, third.headers.get('Retry-After')]).to.deep.equal([
      429,
      'rate_limited',
      '5',
    ]);
    expect(third.body.error.message).to.include('2 exports of one account');
    expect(await used()).to.equal(before);
    expect((await get('/tools.csv')).status, 'one that is there').to.equal(200);
    open();
    for (const { status } of await Promise.all(first)) expect(status).to.equal(200);
    expect((await get('/directory.mcp.servers.csv')).status).to.equal(200);
  });

  it('that are made are waited for in one place, however many parts of them are asked for at once', async () => {
    await importAll(api.services, [tool('plain', { stars: 2 })]);
    await api.services.projector.caughtUp();
    let open: () => void = () => {};
    gate = new Promise((resolve) => (open = resolve));
    const before = await used();
    const ranges = ['bytes=0-1', 'bytes=2-3', 'bytes=4-5', 'bytes=6-7'];
    const parts = [
      ...ranges.map((Range) => get('/tools.jsonl', { Range })),
      get('/tools.jsonl/manifest'),
      // There is room for one more file, and no more.
      get('/tools.csv.gz'),
    ];
    await until('one is made', () => waiting === 1);
    await until('all have come', async () => (await used()) >= before + parts.length);
    const other = await get('/tools.jsonl.gz');
    open();
    const answers = await Promise.all(parts);
    expect(answers.map(({ status }) => status)).to.deep.equal([206, 206, 206, 206, 200, 200]);
    expect(other.status).to.equal(429);
  });

  it('of a position that has passed are refused, and never another file', async () => {
    const { data: manifest } = (await get('/models.csv/manifest')).body;
    const path = `/models.csv?position=${String(manifest['position'])}`;
    for (const context of ['first', 'second', 'third']) {
      await importAll(api.services, [{ id: 'acme/Lens:free', context }], { dataset: 'models' });
      await api.services.projector.caughtUp();
      await get('/models.csv');
      const answer = await get(path);
      if (context === 'first') expect(sha256(answer.text)).to.equal(manifest['sha256']);
      else expect([answer.status, answer.body.error.code]).to.deep.equal([409, 'conflict']);
    }
  });

  it('that there are none of are not found', async () => {
    for (const path of [
      '/tools.xml',
      '/robots.csv',
      '/directory.mcp.csv',
      '/directory.mcp.clients.csv/manifest',
    ])
      expect((await get(path)).status, path).to.equal(404);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
