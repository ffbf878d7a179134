import { expect } from 'chai';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { memoryViewStore } from '../../infra/memory/view-store.ts';
import { type Lane, type LaneWork, runLane, trackOf } from '../../src/runners/projector-lane.ts';
import {
  type BoxEvent,
  boxes,
  contents,
  decodeBoxEvent,
  filled,
  happen,
  opened,
  owners,
  projections,
  replay,
} from './projector.fixture.ts';
import { openLive } from '../support/open-live.ts';

describe('a lane', () => {
  it('starts where the one least far stands, and the others take in nothing twice', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    await happen(store, [opened('a'), filled('a', 1), filled('a', 2)]);
    const [box, owner] = await openLive(views, projections);
    const lane = (tracks: Lane<BoxEvent>['tracks']): Lane<BoxEvent> => {
      return { tracks, phase: 'behind', leave: new AbortController() };
    };
    const work: LaneWork<BoxEvent> = {
      store,
      views,
      decode: decodeBoxEvent,
      pageSize: 2,
      batchDocuments: () => 1,
      now: () => 0,
      onMoved: () => {},
      onStuck: () => {},
      onRefused: () => {},
      onUnwritable: () => {},
      onEnd: async (one) => one.leave.abort(),
    };
    const place = { live: true, checkpoint: null, skipped: new Set<string>(), isCareful: false };
    const ahead = trackOf(owners, { ...place, generation: owner!.generation });
    await runLane(lane(new Set([ahead])), work);
    expect(ahead.checkpoint).to.equal(await store.head());

    await happen(store, [filled('a', 4)]);
    const behind = trackOf(boxes, { ...place, generation: box!.generation });
    await runLane(lane(new Set([ahead, behind])), work);
    expect(await contents(views)).to.deep.equal(await replay(store));
    expect([ahead.checkpoint, behind.checkpoint]).to.deep.equal([await store.head(), await store.head()]);
  });
});
