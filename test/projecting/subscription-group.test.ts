import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { type GroupWork, runSubscriptionGroup, cursorOf } from '../../src/projecting/subscription-group.ts';
import {
  AT_START,
  type BoxEvent,
  boxes,
  closed,
  contents,
  filled,
  happen,
  groupOf,
  opened,
  owners,
  projections,
  replay,
  SILENT_LANE,
  UNBEARABLE,
} from './projector.fixture.ts';
import { openLive } from '../support/open-live.ts';

describe('a group', () => {
  it('starts where the one least far stands, and the others take in nothing twice', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    await happen(store, [opened('a'), filled('a', 1), filled('a', 2)]);
    const [box, owner] = await openLive(views, projections);
    const work: GroupWork<BoxEvent> = { store, views, pageSize: 2, ...SILENT_LANE };
    const ahead = cursorOf(owners, { ...AT_START, generation: owner!.generation });
    await runSubscriptionGroup(groupOf(ahead), work);
    expect(ahead.checkpoint).to.equal(await store.head());

    await happen(store, [filled('a', 4)]);
    const behind = cursorOf(boxes, { ...AT_START, generation: box!.generation });
    await runSubscriptionGroup(groupOf(ahead, behind), work);
    expect(await contents(views)).to.deep.equal(await replay(store));
    expect([ahead.checkpoint, behind.checkpoint]).to.deep.equal([await store.head(), await store.head()]);
  });

  it('looks for no document that begins, and replaces or removes one that was there all the same', async () => {
    const store = memoryEventStore();
    const memory = memoryViewStore();
    const sought: string[] = [];
    const views: ViewStore = {
      ...memory,
      load(view, generation, keys) {
        sought.push(...keys);
        return memory.load(view, generation, keys);
      },
    };
    await happen(store, [opened('a'), filled('a', 1), filled('b', 1), opened('b')]);
    const [box] = await openLive(views, [boxes]);
    const work: GroupWork<BoxEvent> = { store, views, pageSize: 100, ...SILENT_LANE };
    await runSubscriptionGroup(groupOf(cursorOf(boxes, { ...AT_START, generation: box!.generation })), work);
    expect(sought).to.deep.equal(['b']);

    await happen(store, [opened('a')]);
    const { checkpoint } = (await views.status())[0]!;
    await runSubscriptionGroup(
      groupOf(cursorOf(boxes, { ...AT_START, generation: box!.generation, checkpoint })),
      work,
    );
    expect(sought).to.deep.equal(['b']);
    expect(JSON.parse((await views.getJson('boxes', 'a'))!)).to.include({ fills: 0 });

    await happen(store, [opened('a'), closed('a')]);
    const [{ checkpoint: second } = { checkpoint: null }] = await views.status();
    await runSubscriptionGroup(
      groupOf(cursorOf(boxes, { ...AT_START, generation: box!.generation, checkpoint: second })),
      work,
    );
    expect(await views.getJson('boxes', 'a')).to.equal(undefined);
  });

  it('stands before an event that cannot be taken, however far the log goes on', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    const before = await happen(store, [opened('a'), filled('a', 1)]);
    const poison = await happen(store, [filled('a', UNBEARABLE)]);
    await happen(store, [filled('a', 5), filled('a', 6), filled('a', 7)]);
    const [box] = await openLive(views, [boxes]);
    // It is far behind: there are pages after the one with the event.
    const work: GroupWork<BoxEvent> = {
      store,
      views,
      ...SILENT_LANE,
      pageSize: 1,
      batchDocuments: () => 100,
    };
    await runSubscriptionGroup(groupOf(cursorOf(boxes, { ...AT_START, generation: box!.generation })), work);
    const [status] = await views.status();
    expect([status?.checkpoint, status?.stuck?.position]).to.deep.equal([before, poison]);
    expect(JSON.parse((await views.getJson('boxes', 'a'))!)).to.include({ total: 1 });
  });

  it('commits on its way to the end whenever so many documents have changed', async () => {
    const store = memoryEventStore();
    const memory = memoryViewStore();
    const sizes: number[] = [];
    const views: ViewStore = {
      ...memory,
      commit(commits) {
        sizes.push(commits.flatMap(({ writes }) => writes).length);
        return memory.commit(commits);
      },
    };
    await happen(
      store,
      'abcdefghij'.split('').map((name) => opened(name)),
    );
    const [box] = await openLive(views, [boxes]);
    const work: GroupWork<BoxEvent> = {
      store,
      views,
      ...SILENT_LANE,
      pageSize: 1,
      batchDocuments: () => 3,
    };
    await runSubscriptionGroup(groupOf(cursorOf(boxes, { ...AT_START, generation: box!.generation })), work);
    expect(sizes.slice(0, 3)).to.deep.equal([3, 3, 3]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(10);
    expect((await views.status())[0]?.checkpoint).to.equal(await store.head());
  });
});
