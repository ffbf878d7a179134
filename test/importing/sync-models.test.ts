/** The sync of models against a router of our own, which answers well and then in every ugly way that there is. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createFetcher } from '../../infra/undici/fetcher.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import { type SyncOutcome, syncModels, type UsedAnswer } from '../../src/importing/sync-models.ts';
import { readAll } from '../support/event-log.ts';
import { listenAnywhere } from '../support/ports.ts';
import { CAUSE, eventsOf, importAll, market } from './importing.ts';

const REAL = fileURLToPath(new URL('../../../shared/data/upstream/openrouter-models.json', import.meta.url));

type Model = Record<string, unknown>;

const model = (n: number, more: Model = {}): Model => ({
  id: `acme/Lens-${n}:free`,
  name: `Lens ${n}`,
  created: 1_753_228_800,
  context_length: 131_072,
  architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
  pricing: { prompt: '0.0000003', completion: '-1' },
  top_provider: { context_length: 65_536, max_completion_tokens: null, is_moderated: false },
  supported_parameters: ['tools'],
  ...more,
});
const TWENTY = Array.from({ length: 20 }, (_, n) => model(n));

describe('The sync of models', () => {
  const fetcher = createFetcher({ isAllowed: () => true, protocols: ['http:'] });
  let server: Server;
  let url: string;
  let respond: RequestListener;
  let asked: { readonly path: string; readonly ifNoneMatch: string | undefined }[];

  before(async () => {
    server = createServer((req, res) => {
      asked.push({ path: req.url ?? '', ifNoneMatch: req.headers['if-none-match'] });
      respond(req, res);
    });
    url = `http://127.0.0.1:${await listenAnywhere(server)}/api/v1/models`;
  });
  after(async () => {
    await fetcher.close();
    server.closeAllConnections();
    server.close();
  });

  let services: ReturnType<typeof market>;
  beforeEach(() => {
    services = market();
    asked = [];
  });

  const json =
    (models: readonly unknown[], headers: Record<string, string> = {}): RequestListener =>
    (_req, res) =>
      void res
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ data: models }));
  const sync = (used: UsedAnswer | null = null): Promise<SyncOutcome> =>
    syncModels(services, { fetcher, url, used, cause: CAUSE, signal: new AbortController().signal });
  async function listedIds(): Promise<string[]> {
    const { rows } = await readKnownRows(services.events, 'models');
    return [...rows].filter(([, { isListed }]) => isListed).map(([id]) => id);
  }
  async function firstImport(): Promise<unknown> {
    const [first] = await eventsOf(services, 'models');
    return first !== undefined && 'importId' in first.data ? first.data.importId : null;
  }
  async function sourceEvents(): Promise<unknown[]> {
    const told = await readAll(services.events, 'source-models');
    return told.map(({ type, data }) => ('reason' in data ? data.reason : type));
  }
  async function synced(models: readonly unknown[] = TWENTY) {
    respond = json(models);
    const outcome = await sync();
    if (outcome.kind !== 'synced' || outcome.report === null) throw new Error(`it is ${outcome.kind}`);
    return outcome.report;
  }

  it('takes in the whole catalogue, of all output modalities', async () => {
    const report = await synced();
    expect(report.counts).to.deep.include({ added: 20, refused: 0 });
    expect(asked[0]?.path).to.equal('/api/v1/models?output_modalities=all');
    expect(await listedIds()).to.include('acme/Lens-7:free');
    expect(await sourceEvents()).to.deep.equal([]);
  });

  it('takes in the real catalogue, and then nothing of it again', async function () {
    if (!existsSync(REAL)) {
      process.stdout.write('      (skipped: ../shared/data is not there)\n');
      return this.skip();
    }
    const text = readFileSync(REAL);
    respond = (_req, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(text);
    const first = await sync();
    if (first.kind !== 'synced') throw new Error(`it is ${first.kind}`);
    expect(first.report?.counts).to.deep.include({ added: 676, refused: 0 });
    expect(first.report?.odd).to.deep.equal([]);
    const head = await services.events.head();
    await sync();
    expect(await services.events.head()).to.equal(head);
  });

  it('is not sent what it has, until somebody else has imported', async () => {
    respond = json(TWENTY, { etag: '"v1"' });
    const first = await sync();
    if (first.kind !== 'synced') throw new Error(`it is ${first.kind}`);
    respond = (_req, res) => void res.writeHead(304).end();
    expect(await sync(first.used)).to.deep.include({ kind: 'synced', report: null });
    expect(asked.at(-1)?.ifNoneMatch).to.equal('"v1"');
    respond = json([...TWENTY, model(20)], { etag: '"v2"' });
    await sync();
    await sync(first.used);
    expect(asked.at(-1)?.ifNoneMatch).to.equal(undefined);
  });

  it('does not take an import that comes right after it for its own', async () => {
    respond = json(TWENTY, { etag: '"v1"' });
    let loads = 0;
    const commands: typeof services.commands = {
      ...services.commands,
      async load(...load) {
        loads += 1;
        if (loads > 1) await importAll(services, [model(21)], { dataset: 'models' });
        return services.commands.load(...load);
      },
    };
    const signal = new AbortController().signal;
    const outcome = await syncModels(
      { ...services, commands },
      { fetcher, url, used: null, cause: CAUSE, signal },
    );
    const own = await firstImport();
    expect(outcome).to.have.nested.property('used.importId', own);
  });

  it('retires a few models that are gone, and lists them again under their ids', async () => {
    await synced();
    expect((await synced(TWENTY.slice(4))).counts).to.deep.include({ retired: 4, unchanged: 16 });
    expect(await listedIds()).to.have.length(16);
    expect((await synced()).counts).to.deep.include({ returned: 4, added: 0 });
    expect(await sourceEvents()).to.deep.equal([]);
  });

  it('keeps an odd model as far as it can be read, and all the others', async () => {
    await synced();
    const odd = [
      model(0, { architecture: null, pricing: { prompt: null } }),
      model(1, { architecture: { modality: 'text->smell', output_modalities: ['smell'] } }),
      { name: 'no id' },
      'no object',
      ...TWENTY.slice(2),
    ];
    const report = await synced(odd);
    expect(report.counts).to.deep.include({ changed: 2, unchanged: 18, refused: 2, retired: 0 });
    expect(report.odd.map(({ reason }) => reason)).to.deep.equal([
      'acme/Lens-0:free: architecture is missing; pricing.prompt is no price',
    ]);
  });

  const end =
    (status: number, headers: Record<string, string>, body = ''): RequestListener =>
    (_req, res) =>
      void res.writeHead(status, headers).end(body);
  const whole = JSON.stringify({ data: TWENTY });
  const JSON_TYPE = { 'content-type': 'application/json' };
  const ugly: Record<string, { readonly reason: string; readonly answer: RequestListener }> = {
    'an empty answer': { reason: 'empty', answer: end(200, JSON_TYPE) },
    'a list without models': { reason: 'empty', answer: json([]) },
    'JSON that is cut short': { reason: 'cut_short', answer: end(200, JSON_TYPE, whole.slice(0, -100)) },
    'an answer whose connection breaks': {
      reason: 'cut_short',
      answer: (_req, res) => {
        res.writeHead(200, { ...JSON_TYPE, 'content-length': String(whole.length) });
        res.write(whole.slice(0, 500), () => res.destroy());
      },
    },
    'an error page with 200': {
      reason: 'not_json',
      answer: end(200, { 'content-type': 'text/html' }, '<html>Bad gateway</html>'),
    },
    'JSON of another form': { reason: 'unusable', answer: end(200, JSON_TYPE, '{"error":"no"}') },
    'a list that is cut short after a whole model': {
      reason: 'cut_short',
      answer: end(200, JSON_TYPE, whole.slice(0, -2)),
    },
    'an answer that lacks its last brace': {
      reason: 'cut_short',
      answer: end(200, JSON_TYPE, whole.slice(0, -1)),
    },
    'an answer larger than a catalogue can be': {
      reason: 'too_large',
      answer: end(200, JSON_TYPE, `${whole.slice(0, -2)}${' '.repeat(8 * 1_024 ** 2)}]}`),
    },
    'an error': { reason: 'status', answer: end(502, { 'retry-after': '120' }) },
    'a redirect': { reason: 'redirect', answer: end(302, { location: 'http://127.0.0.1:1/' }) },
    'an answer that nobody asked for': { reason: 'status', answer: end(304, {}) },
    'a catalogue that lacks more than a fifth': { reason: 'much_smaller', answer: json(TWENTY.slice(5)) },
    'a broken connection': { reason: 'unreachable', answer: (_req, res) => void res.destroy() },
  };
  for (const [name, { reason, answer }] of Object.entries(ugly)) {
    it(`leaves the last good catalogue in service after ${name}, and says so once`, async () => {
      await synced();
      respond = answer;
      const outcome = await sync();
      expect(outcome).to.deep.include({ kind: 'degraded', reason });
      await sync();
      expect(await listedIds()).to.have.length(20);
      expect(await sourceEvents()).to.deep.equal([reason]);
      await synced();
      expect(await sourceEvents()).to.deep.equal([reason, 'SourceRecovered']);
    });
  }

  it('is degraded by a first list of which no model can be used', async () => {
    respond = json([{ name: 'no id' }, 'no object']);
    expect(await sync()).to.deep.include({
      kind: 'degraded',
      reason: 'unusable',
      detail: 'none of its 2 models can be used',
    });
    expect(await sourceEvents()).to.deep.equal(['unusable']);
  });

  it('names the type of a page only where it is one', async () => {
    respond = end(200, { 'content-type': 'text/html; charset=utf-8' }, '<html>');
    expect(await sync()).to.deep.include({ detail: 'the answer is text/html and no JSON' });
    for (const type of ['text\thtml', 'x'.repeat(600), '']) {
      respond = end(200, { 'content-type': type }, '<html>');
      expect(await sync()).to.deep.include({ reason: 'not_json', detail: 'the answer is no JSON' });
    }
  });

  it('comes again when the router says so', async () => {
    respond = end(503, { 'retry-after': '120' });
    expect(await sync()).to.deep.include({ kind: 'degraded', retryAfterMs: 120_000 });
  });

  it('gives up an answer that never ends', async () => {
    respond = (_req, res) => void res.writeHead(200, JSON_TYPE).write('{"data":[');
    const late = {
      get: (asking: Parameters<typeof fetcher.get>[0]) => fetcher.get({ ...asking, timeoutMs: 100 }),
    };
    const outcome = await syncModels(services, {
      fetcher: late,
      url,
      used: null,
      cause: CAUSE,
      signal: new AbortController().signal,
    });
    expect(outcome).to.deep.include({ kind: 'degraded', reason: 'timeout' });
  });

  it('never reaches an address that is not public', async () => {
    const guarded = createFetcher({ protocols: ['http:'] });
    const outcome = await syncModels(services, {
      fetcher: guarded,
      url,
      used: null,
      cause: CAUSE,
      signal: new AbortController().signal,
    });
    await guarded.close();
    expect(outcome).to.deep.include({ kind: 'degraded', reason: 'unreachable' });
    expect(asked).to.deep.equal([]);
  });
});
