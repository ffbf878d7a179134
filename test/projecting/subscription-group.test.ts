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
  decodeBoxEvent,
  filled,
  happen,
  groupOf,
  opened,
  owners,
  projections,
  replay,
  SILENT_GROUP,
  UNBEARABLE,
} from './projector.fixture.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import { openLive } from '../support/open-live.ts';

/** Page by page, and never full. */
const FAR_BEHIND: Partial<GroupWork> = { pageSize: 1, batchDocuments: () => 100 };

/** Takes the live generation of the boxes to the end of the log, or until it is left; and tells where it stands then. */
async function runBoxes(
  store: EventStore,
  views: ViewStore,
  work: Partial<GroupWork> = {},
  leaveAt: string | null = null,
) {
  const [box] = await openLive(views, [boxes]);
  const { generation, checkpoint } = box!;
  const group = groupOf(cursorOf(boxes, { ...AT_START, generation, checkpoint }));
  const decode = (recorded: RecordedEvent): BoxEvent => {
    if (recorded.position === leaveAt) group.leave.abort();
    return decodeBoxEvent(recorded);
  };
  await runSubscriptionGroup(group, { store, views, pageSize: 100, ...SILENT_GROUP, decode, ...work });
  return (await views.status())[0];
}

describe('a group', () => {
  it('starts where the one least far stands, and the others take in nothing twice', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    await happen(store, [opened('a'), filled('a', 1), filled('a', 2)]);
    const [box, owner] = await openLive(views, projections);
    const work: GroupWork = { store, views, pageSize: 2, ...SILENT_GROUP };
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
    await runBoxes(store, views);
    expect(sought).to.deep.equal(['b']);

    await happen(store, [opened('a')]);
    await runBoxes(store, views);
    expect(sought).to.deep.equal(['b']);
    expect(JSON.parse((await views.getJson('boxes', 'a'))!)).to.include({ fills: 0 });

    await happen(store, [opened('a'), closed('a')]);
    await runBoxes(store, views);
    expect(await views.getJson('boxes', 'a')).to.equal(undefined);
  });

  it('stands before an event that cannot be taken, however far the log goes on', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    const before = await happen(store, [opened('a'), filled('a', 1)]);
    const poison = await happen(store, [filled('a', UNBEARABLE)]);
    await happen(store, [filled('a', 5), filled('a', 6), filled('a', 7)]);
    // There are pages after the one with the event.
    const status = await runBoxes(store, views, FAR_BEHIND);
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
    const status = await runBoxes(store, views, { ...FAR_BEHIND, batchDocuments: () => 3 });
    expect(sizes.slice(0, 3)).to.deep.equal([3, 3, 3]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(10);
    expect(status?.checkpoint).to.equal(await store.head());
  });

  it('that is left far from the end has committed all that it took in', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    const taken = await happen(store, [opened('a'), filled('a', 1), filled('a', 2)]);
    await happen(store, [filled('a', 4), filled('a', 8)]);
    const status = await runBoxes(store, views, FAR_BEHIND, taken);
    expect(status?.checkpoint).to.equal(taken);
    expect(JSON.parse((await views.getJson('boxes', 'a'))!)).to.include({ total: 3 });
  });
});
