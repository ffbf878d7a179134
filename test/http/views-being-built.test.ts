/** What a market answers whose views are lost: never that something is not there, as long as nobody can know. */
import { expect } from 'chai';
import { decodeEvent } from '../../events/catalog.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { AGENT_DIRECTORY } from '../../projections/agent-directory.ts';
import { jobsProjection } from '../../projections/jobs.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { projections } from '../../projections/catalog.ts';
import type { Role } from '../../src/settings/roles.ts';
import { createProjector, type Projector } from '../../src/projecting/projector.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { startApi, type TestApi, type TestKey } from '../support/api.ts';
import { publishExamples } from '../support/memory-market.ts';

describe('Views that are being built', function () {
  let market: TestApi;
  let key: TestKey;
  let views: ViewStore;
  let projector: Projector;
  let api: TestApi | undefined;
  before(async () => {
    market = await startApi();
    key = await market.newKey({ scopes: ['jobs:read'] });
    await publishExamples(market.services);
  });
  after(() => market.close());
  beforeEach(async () => {
    views = memoryViewStore();
    projector = projectorOf(projections);
    await projector.open();
  });
  afterEach(async () => {
    await api?.close();
    api = undefined;
  });

  function projectorOf(some: typeof projections | readonly (typeof projections)[number][]): Projector {
    const store = market.services.events;
    const onError = (): void => {};
    return createProjector({
      store,
      views,
      projections: [...some],
      decode: decodeEvent,
      now: Date.now,
      onError,
    });
  }
  /** The same log, and the views that have been lost. */
  async function start(role: Role = 'all'): Promise<TestApi> {
    const { events, commands } = market.services;
    return (api = await startApi({ services: { events, commands, views, projector, role } }));
  }

  it('know no key to be wrong, and no page to be missing', async () => {
    const { get, logged } = await start();
    const agent = '/v1/agents/invoice-matcher';
    for (const path of ['/v1/agents', agent, '/v1/agents/nobody', '/', '/agents', '/v1/jobs', '/llms.txt']) {
      const { status, headers, text } = await get(path, { key: key.key });
      expect([path, status, headers.get('Retry-After')]).to.deep.equal([path, 503, '5']);
      expect(text, path).to.contain('being built');
    }
    // /readyz tells of it: the log need not, for each request.
    expect(logged().filter(({ msg }) => msg !== 'request')).to.deep.equal([]);
    await catchUpOnce(projector);
    for (const path of ['/v1/agents', '/', '/agents', '/v1/jobs']) {
      expect((await get(path, { key: key.key })).status, path).to.equal(200);
    }
    expect((await get('/v1/jobs', { key: 'brs_live_nobodysKey00000000000000000000000' })).status).to.equal(
      401,
    );
    expect((await get('/v1/agents/nobody')).status).to.equal(404);
  });

  it('make a process unready that answers requests, and none that would only build them', async () => {
    for (const role of ['all', 'api'] as const) {
      const { get, close } = await start(role);
      const { status, headers, body } = await get('/readyz');
      expect([role, status]).to.deep.equal([role, 503]);
      expect(Number(headers.get('Retry-After'))).to.be.at.least(1);
      expect(body.error.message).to.contain('jobs (being built)');
      await close();
    }
    // An update of projectors waits for each new one, which stands by until an old one is gone.
    for (const role of ['projector', 'worker'] as const) {
      const { get, close } = await start(role);
      const { status, body } = await get('/readyz');
      expect([role, status, body.data['status']]).to.deep.equal([role, 200, 'degraded']);
      await close();
    }
  });

  it('keep no other view from being served', async () => {
    const others = projections.filter(({ name }) => name !== jobsProjection.name);
    await catchUpOnce(projectorOf(others));
    const { get } = await start('api');
    expect((await get('/v1/agents')).status).to.equal(200);
    expect((await get('/v1/jobs', { key: key.key })).status).to.equal(503);
    expect((await get('/readyz')).body.error.message).to.equal('Not ready: jobs (being built).');
  });

  it('stay unserved where one cannot take an event, and say so', async () => {
    const [agents] = projections.filter(({ name }) => name === AGENT_DIRECTORY);
    const poisoned = {
      ...agents,
      on: { ...agents?.on, AgentPublished: { keys: notForMe, apply: notForMe } },
    };
    // A projection in all but that it fails.
    projector = projectorOf(projections.map((one) => (one === agents ? (poisoned as typeof one) : one)));
    await projector.start();
    await projector.caughtUp();
    const { get } = await start('api');
    expect((await get('/v1/agents')).status).to.equal(503);
    expect((await get('/v1/jobs', { key: key.key })).status).to.equal(200);
    expect((await get('/readyz')).body.error.message).to.contain(
      `${AGENT_DIRECTORY} (stuck while it was being built)`,
    );
    await projector.stop();
  });
});

function notForMe(): never {
  throw new Error('it cannot take this');
}
