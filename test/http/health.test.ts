import { expect } from 'chai';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { memoryViewStore } from '../../infra/memory/view-store.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { jobsProjection } from '../../projections/jobs.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { publishExamples } from '../support/memory-market.ts';

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

  it('/readyz is 503 when a view stands still, and says which', async () => {
    const views = memoryViewStore();
    api = await startApi({ engines: { views } });
    const status = await views.status();
    const { generation = 0 } = status.find(({ view }) => view === jobsProjection.name) ?? {};
    const stuck = {
      position: '7',
      eventId: 'evt_x',
      error: 'it does not fit',
      at: '2026-11-27T09:30:00.000Z',
    };
    await views.setStuck(jobsProjection.name, generation, stuck);
    const answer = await api.get('/readyz');

    expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'unavailable']);
    expect(Number(answer.headers.get('Retry-After'))).to.be.at.least(1);
    expect(answer.body.error.message).to.include('jobs (stuck)');
    expect(answer.body.error.details?.find((view) => 'view' in view && view.view === 'jobs')).to.deep.include(
      {
        state: 'stuck',
        healthy: false,
      },
    );
  });
});
