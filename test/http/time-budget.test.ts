import { expect } from 'chai';
import type { EventStore } from '../../events/event-store.ts';
import { openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { withinBudget } from '../../src/operations/time-budget.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { startApi, type TestAnswer, type TestApi } from '../support/api.ts';
import { startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { publishExamples } from '../support/memory-market.ts';

const BUDGET_MS = 5_000;
/** In place of the four and a half seconds of the service. */
const SHORT_MS = 300;

describe('A request, of a log on a server,', () => {
  /** What was asked of the log under which moment; Infinity where under none. */
  let asked: { readonly what: string; readonly untilMs: number }[];
  let api: TestApi;
  beforeEach(async () => {
    asked = [];
    // Streams are appended to one by one there.
    const log = memoryEventStore();
    delete log.appendAll;
    const noting = (untilMs: number): EventStore => ({
      ...log,
      within: noting,
      append(streamId, ...rest) {
        asked.push({ what: `append ${kindOf(streamId)}`, untilMs });
        return log.append(streamId, ...rest);
      },
      read(streamId, ...rest) {
        asked.push({ what: `read ${kindOf(streamId)}`, untilMs });
        return log.read(streamId, ...rest);
      },
    });
    api = await startApi({ engines: { events: noting(Infinity) } });
    await publishExamples(api.services);
  });
  afterEach(() => api.close());

  it('has one budget of time for all that it asks, of which an answer within five seconds is left', async () => {
    const { key } = await api.newKey({ scopes: ['trials:create', 'mandate:read'] });
    const wish = { agent: 'invoice-matcher', brief: 'Match them.' };
    for (const [expected, ask] of [
      [201, () => api.post('/v1/trials', wish, { key })],
      [200, () => api.get('/v1/mandate', { key })],
    ] as const) {
      asked = [];
      const beganMs = performance.now();
      const { status } = await ask();
      const [first, ...others] = [...new Set(asked.filter(isOfMandate).map(({ untilMs }) => untilMs))];
      expect([status, others]).to.deep.equal([expected, []]);
      expect(first).to.be.within(beganMs, performance.now() + BUDGET_MS);
    }
  });

  it('waits for views, for denials and for its place among the waiting no longer than is left of it', async () => {
    const { projector, denials, jobWatch } = api.services;
    const waited: (number | undefined)[] = [];
    const noting = {
      ...api.services,
      projector: {
        ...projector,
        reached: async (_view: string, _position: string, ms: number) => waited.push(ms) > 0,
      },
      denials: { ...denials, settled: async (_mandate: string, ms?: number) => void waited.push(ms) },
      jobWatch: {
        ...jobWatch,
        async take(_owner: string, _stream: string, ms?: number) {
          waited.push(ms);
          return null;
        },
      },
    };
    for (const [logMs, usedMs, most] of [
      [SHORT_MS, 0, SHORT_MS],
      [SHORT_MS, SHORT_MS, 0],
    ] as const) {
      const services = withinBudget({ ...noting, logMs }, performance.now() + logMs - usedMs);
      waited.length = 0;
      await services.projector.reached('jobs', '', 3_000);
      await services.denials.settled('');
      await services.jobWatch.take('', '');
      expect(waited).to.have.length(3);
      for (const ms of waited) expect(ms).to.be.within(0, most);
    }
  });
});

describe('A request that waits for news of a job, of a log that does not say where it ends,', () => {
  it('is answered when its time is over, and the next one is not held by it', async () => {
    const log = memoryEventStore();
    let said: Promise<void> | undefined;
    const events: EventStore = {
      ...log,
      within: () => events,
      async head() {
        await said;
        return log.head();
      },
    };
    const api = await startApi({ engines: { events }, services: { logMs: SHORT_MS } });
    try {
      await publishExamples(api.services);
      const { key } = await api.newKey({ scopes: ['trials:create', 'jobs:read'] });
      const { body } = await api.post(
        '/v1/trials',
        { agent: 'invoice-matcher', brief: 'Match them.' },
        { key },
      );
      const path = `/v1/jobs/${String(body.data['id'])}?wait=1`;
      const waiting = (): Promise<TestAnswer> => api.get(path, { key });
      let say = (): void => {};
      said = new Promise((resolve) => (say = resolve));
      for (const _ of ['the first', 'the next']) {
        const beganMs = performance.now();
        const { status } = await waiting();
        expect(status).to.equal(503);
        expect(performance.now() - beganMs).to.be.below(BUDGET_MS / 2);
      }
      expect(api.services.jobWatch.waiting()).to.equal(0);
      say();
      expect((await waiting()).status).to.equal(200);
    } finally {
      await api.close();
    }
  });
});

describe('A request, of a log whose server falls silent,', () => {
  it('is answered when its time is over, whatever it waits for', async () => {
    const server = await startEventStoreDouble();
    const log = await openEventStoreDb({ url: server.url, prefix: 'silent.' });
    const api = await startApi({ engines: { events: log.store }, services: { logMs: SHORT_MS } });
    try {
      await publishExamples(api.services);
      const { key } = await api.newKey({ scopes: ['trials:create', 'jobs:read', 'mandate:read'] });
      const wish = { agent: 'invoice-matcher', brief: 'Match them.' };
      const trial = (): Promise<TestAnswer> => api.post('/v1/trials', wish, { key });
      const { body } = await trial();
      server.faults.on('batchAppend', { kind: 'silence' });
      server.faults.on('read', { kind: 'silence' });
      for (const ask of [
        trial,
        () => api.get(`/v1/jobs/${String(body.data['id'])}`, { key }),
        () => api.get('/v1/jobs', { key }),
        () => api.get('/v1/mandate', { key }),
        () => api.get('/v1/mandate/history', { key }),
      ]) {
        const beganMs = performance.now();
        const { status, headers } = await ask();
        expect([status, headers.get('Retry-After')]).to.deep.equal([503, '1']);
        // Without the budget a call waits for two seconds, and is made again.
        expect(performance.now() - beganMs).to.be.below(BUDGET_MS / 2);
      }
    } finally {
      server.faults.clear();
      await api.close();
      await log.close();
      await server.stop();
    }
  });
});

function kindOf(streamId: string): string {
  return streamId.replace(/[-_].*/, '');
}

function isOfMandate({ what }: { readonly what: string }): boolean {
  return what.endsWith(' mandate');
}
