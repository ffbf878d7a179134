import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryLeases } from '../../infra/memory/leases.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { startBackgroundServices } from '../../src/background/background-services.ts';
import { projectingService } from '../../src/background/projecting-service.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { until } from '../support/until.ts';
import { boxes, filled, happen, opened, owners, projectorOn } from '../projecting/projector.fixture.ts';

const TURN_MS = 20;

describe('A projector of an older program', () => {
  it('that has taken over lets one that stands by, and can feed the views, take over from it', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    const leases = createMemoryLeases();
    await happen(store, [opened('a')]);
    const newer = projectorOn(store, views, { projections: [{ ...boxes, version: 2 }, owners] }).projector;
    await catchUpOnce(newer);

    const older = projectorOn(store, views).projector;
    const parts = { leases, onError: () => {} };
    const working = startBackgroundServices([projectingService(older, false, TURN_MS)], parts);
    await until('the older one works', () => working.status()[0]?.state === 'working');
    const standing = startBackgroundServices([projectingService(newer, false)], parts);
    const position = await happen(store, [filled('a', 3)]);
    expect(await newer.reached('boxes', position, 15_000)).to.equal(true);
    expect(await views.getJson('boxes', 'a')).to.contain('"total":3');

    await Promise.all([standing.stop(), working.stop()]);
  });

  it('keeps its own views for as long as there is nothing newer', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    const { projector } = projectorOn(store, views);
    const leases = createMemoryLeases();
    const working = startBackgroundServices([projectingService(projector, false, TURN_MS)], {
      leases,
      onError: () => {},
    });
    await until('it works', () => working.status()[0]?.state === 'working');
    const states = new Set<string | undefined>();
    const last = performance.now() + 20 * TURN_MS;
    await until('twenty turns are over', () => {
      states.add(working.status()[0]?.state);
      return performance.now() > last;
    });
    expect([...states]).to.deep.equal(['working']);
    await working.stop();
  });
});
