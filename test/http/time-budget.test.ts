import { expect } from 'chai';
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { publishExamples } from '../support/memory-market.ts';

const BUDGET_MS = 5_000;

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
});

function kindOf(streamId: string): string {
  return streamId.replace(/[-_].*/, '');
}

function isOfMandate({ what }: { readonly what: string }): boolean {
  return what.endsWith(' mandate');
}
