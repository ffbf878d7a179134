import { expect } from 'chai';
import { createMemoryAccountKeys } from '../contract/memory/account-keys.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { type ViewStore, ViewsUnavailable } from '../../projections/view-store.ts';
import { AccountKeysUnavailable } from '../../src/ports/account-keys.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import type { ServiceState } from '../../src/background/background-services.ts';
import { createMonitorCheck, type MonitorTerms } from '../../src/transport/monitor.ts';
import { monitoringRoutes } from '../../src/http/routes.ts';
import { jobsProjection } from '../../projections/jobs.ts';
import { createPrivateTexts } from '../../src/operations/private-texts/private-texts.ts';
import { startApi, type TestAnswer, type TestApi } from '../support/api.ts';
import { openMemoryMarket, publishExamples } from '../support/memory-market.ts';

const TOKEN = 'a-token-of-the-tests';
const PUBLIC_URL = 'https://bourse.example';

describe('what monitoring asks', () => {
  let api: TestApi | undefined;
  afterEach(() => api?.close());

  it('/healthz answers as long as the process does', async () => {
    api = await startApi({ publicRateLimit: 1 });
    for (let count = 0; count < 3; count += 1) {
      const { status, body } = await api.get('/healthz');
      expect([status, body.data]).to.deep.equal([200, { status: 'ok' }]);
    }
  });

  it('/readyz lists every view and how far it is', async () => {
    api = await startApi();
    await publishExamples(api.services);
    const { status, body } = await api.get('/readyz');

    expect(status).to.equal(200);
    const { head, views } = body.data;
    expect(head).to.be.a('string');
    expect(views).to.deep.include({
      view: 'jobs',
      state: 'current',
      checkpoint: head,
      served: true,
      behindMs: 0,
      healthy: true,
    });
  });

  it('/readyz is 503 when the log cannot be reached, and names no store', async () => {
    const events = memoryEventStore();
    let away = false;
    const head = () =>
      away ? Promise.reject(new StoreUnavailable('disk I/O error in /data')) : events.head();
    api = await startApi({ engines: { events: { ...events, head } } });
    away = true;
    const { status, body, text } = await api.get('/readyz');

    expect([status, body.error.code]).to.deep.equal([503, 'unavailable']);
    expect(text).to.not.match(/disk|data\//);
  });

  it('/readyz names the engine that cannot be reached', async () => {
    const views = memoryViewStore();
    let away = false;
    const status = () => (away ? Promise.reject(new ViewsUnavailable('no route')) : views.status());
    api = await startApi({ engines: { views: { ...views, status } } });
    away = true;
    const answer = await api.get('/readyz');

    expect([answer.status, answer.body.error.message]).to.deep.equal([
      503,
      'Not ready: the views cannot be used.',
    ]);
    expect(answer.body.error.details).to.deep.equal([
      { path: 'log', message: 'is up', value: 'up' },
      { path: 'views', message: 'is away', value: 'away' },
      { path: 'queue', message: 'is up', value: 'up' },
      { path: 'account-keys', message: 'is up', value: 'up' },
    ]);
  });

  for (const away of [false, true]) {
    it(`/readyz tells strangers the status and nothing else${away ? ', also where it is not ready' : ''}`, async () => {
      const events = memoryEventStore();
      let isAway = false;
      const head = () => (isAway ? Promise.reject(new StoreUnavailable('no route')) : events.head());
      const isMonitor = createMonitorCheck({ metricsToken: TOKEN, baseUrl: PUBLIC_URL, trustProxyHops: 0 });
      api = await startApi({ engines: { events: { ...events, head } }, isMonitor });
      isAway = away;
      const told = await api.get('/readyz');
      const { data, error } = told.body;
      expect(away ? [told.status, error.message, error.details] : [told.status, data]).to.deep.equal(
        away ? [503, 'Not ready.', undefined] : [200, { status: 'ready' }],
      );

      for (const key of ['', 'x', `${TOKEN}x`, TOKEN.slice(1)]) {
        expect((await api.get('/readyz', { key })).text).to.not.include('views');
      }
      const { text, headers } = await api.get('/readyz', { key: TOKEN });
      expect(text).to.include('views').and.include('log');
      expect(headers.get('Cache-Control')).to.equal('no-store');
      expect(headers.get('Vary')).to.equal('Authorization');
      expect(headers.get('Access-Control-Allow-Origin')).to.equal(null);
    });
  }

  it('/readyz looks once a second for all strangers, and anew for monitoring', async () => {
    let looks = 0;
    const noteEngine = (engine: string): void => void (looks += engine === 'log' ? 1 : 0);
    const isMonitor = createMonitorCheck({ metricsToken: TOKEN, baseUrl: PUBLIC_URL, trustProxyHops: 0 });
    const asked = (api = await startApi({ services: { noteEngine }, isMonitor }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => asked.get('/readyz')));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    // On a slow machine the answers may take some seconds, each with its look.
    expect(looks).to.be.below(10);
    const ofStrangers = looks;
    await asked.get('/readyz', { key: TOKEN });
    expect(looks).to.equal(ofStrangers + 1);
  });

  it('/readyz tells this machine more, where the market is there for nobody else', async () => {
    const tells = async (terms: Partial<MonitorTerms>, headers = {}): Promise<boolean> => {
      const isMonitor = createMonitorCheck({
        metricsToken: undefined,
        baseUrl: 'http://localhost:8080',
        trustProxyHops: 0,
        ...terms,
      });
      const asked = await startApi({ isMonitor });
      const { text } = await asked.get('/readyz', { headers });
      await asked.close();
      return text.includes('views');
    };
    expect(await tells({})).to.equal(true);
    expect(await tells({ baseUrl: 'http://[::1]:8080' })).to.equal(true);
    // A proxy on this machine brings anybody.
    expect(await tells({ baseUrl: PUBLIC_URL })).to.equal(false);
    expect(await tells({ trustProxyHops: 1 })).to.equal(false);
    expect(await tells({}, { 'X-Forwarded-For': '203.0.113.9' })).to.equal(false);
  });

  it('/readyz is 503 when the keys of accounts cannot be read', async () => {
    const keys = createMemoryAccountKeys();
    const find = () => Promise.reject(new AccountKeysUnavailable('people.db was removed'));
    api = await startApi({ engines: { accountKeys: { ...keys, find } } });
    const { status, body } = await api.get('/readyz');

    expect([status, body.error.message]).to.deep.equal([
      503,
      'Not ready: the keys of accounts cannot be used.',
    ]);
  });

  it('/readyz is degraded where the keys of accounts are not those of the log', async () => {
    const market = await startApi();
    await publishExamples(market.services);
    const { key } = await market.newKey();
    await market.post('/v1/trials', { agent: 'invoice-matcher', brief: 'Match.' }, { key });
    await market.services.projector.caughtUp();
    const engineOf = ({ body }: TestAnswer): unknown => body.data['engines'];
    expect(engineOf(await market.get('/readyz'))).to.deep.include({ engine: 'account-keys', state: 'up' });

    const privateTexts = createPrivateTexts(createMemoryAccountKeys());
    api = await startApi({ services: { ...market.services, privateTexts } });
    const { status, body } = await api.get('/readyz');
    await market.close();
    expect([status, body.data['status']]).to.deep.equal([200, 'degraded']);
    expect(body.data['engines']).to.deep.include({ engine: 'account-keys', state: 'foreign' });
  });

  it('/readyz is degraded without a queue: its work waits in the log', async () => {
    const queue = createMemoryQueue();
    const nextDueAtMs = () => Promise.reject(new QueueUnavailable('no route'));
    api = await startApi({ services: { queue: { ...queue, nextDueAtMs } } });
    const { status, body } = await api.get('/readyz');

    expect([status, body.data['status']]).to.deep.equal([200, 'degraded']);
    expect(body.data['engines']).to.deep.include({ engine: 'queue', state: 'away' });
  });

  it('/readyz is degraded when a reaction has failed for longer than a moment', async () => {
    const event = { id: 'evt_01kb3j5m8xe3vb0v6yq4s5t7wk', position: '0000000000000043' };
    const failing = {
      error: 'refused at 10.0.0.7',
      missingRight: null,
      since: '2026-11-27T09:30:00.000Z',
      event,
    };
    const reactions = () => [{ name: 'when-job-changed-notify', checkpoint: null, failing }];
    api = await startApi({ services: { reactions } });
    const { status, body, text } = await api.get('/readyz');

    expect([status, body.data['status']]).to.deep.equal([200, 'degraded']);
    expect(body.data['reactions']).to.deep.equal([
      {
        reaction: 'when-job-changed-notify',
        checkpoint: null,
        failingSince: failing.since,
        failingEventId: event.id,
        missingRight: null,
      },
    ]);
    expect(text, 'what went wrong is for the log').to.not.include('10.0.0.7');
  });

  it('/readyz is degraded while something keeps the projector from going on', async () => {
    const market = await openMemoryMarket();
    const { projector } = market.services;
    const projectorError = {
      view: null,
      error: new Error('the log ends before it'),
      at: '2026-11-27T09:30:00.000Z',
    };
    const status = async () => ({ ...(await projector.status()), projectorError });
    api = await startApi({ services: { projector: { ...projector, status } } });
    const { status: code, body } = await api.get('/readyz');
    await market.close();

    expect([code, body.data['status']]).to.deep.equal([200, 'degraded']);
  });

  it('/readyz is 503 when the projector does not run, and fine where it stands by', async () => {
    let state: ServiceState = 'stopped';
    api = await startApi({ services: { duties: () => [{ duty: 'projector', state }] } });
    const stopped = await api.get('/readyz');
    expect([stopped.status, stopped.body.error.message]).to.deep.equal([
      503,
      'Not ready: the projector, which does not run.',
    ]);
    state = 'standing-by';
    expect((await api.get('/readyz')).body.data).to.deep.include({
      status: 'ready',
      duties: [{ duty: 'projector', state: 'standing-by' }],
    });
  });

  it('/readyz of a process that only reads is degraded by a view that stands still, and ready to serve', async () => {
    const views = memoryViewStore();
    api = await startApi({ engines: { views }, services: { role: 'api', duties: () => [] } });
    await standStill(views);
    const { status, body } = await api.get('/readyz');

    expect([status, body.data['status'], body.data['role']]).to.deep.equal([200, 'degraded', 'api']);
  });

  it('is all that a process answers which does not serve', async () => {
    api = await startApi({ isServing: false, routes: monitoringRoutes });
    expect((await api.get('/healthz')).status).to.equal(200);
    expect((await api.get('/readyz')).status).to.equal(200);
    for (const path of ['/v1/agents', '/', '/openapi.json', '/mcp', '/llms.txt']) {
      expect((await api.get(path)).status, path).to.equal(404);
    }
  });

  it('/readyz is 503 when a view stands still, and says which', async () => {
    const views = memoryViewStore();
    api = await startApi({ engines: { views } });
    await standStill(views);
    const answer = await api.get('/readyz');

    expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'unavailable']);
    expect(Number(answer.headers.get('Retry-After'))).to.be.at.least(1);
    expect(answer.body.error.message).to.include('jobs (stuck)');
    expect(answer.body.error.details).to.deep.include({ path: 'jobs', message: 'is stuck', value: 'stuck' });
  });
});

async function standStill(views: ViewStore): Promise<void> {
  const { name } = jobsProjection;
  const { generation = 0 } = (await views.status()).find(({ view }) => view === name) ?? {};
  const at = '2026-11-27T09:30:00.000Z';
  await views.setStuck(name, generation, { position: '7', eventId: 'evt_x', error: 'it does not fit', at });
}
