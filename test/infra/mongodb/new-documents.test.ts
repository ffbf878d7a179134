/** A commit asks the engine for nothing that is known: each question is a round trip. */
import { expect } from 'chai';
import { memoryEventStore } from '../../contract/memory/event-store.ts';
import { mongoViewStore } from '../../../infra/mongodb/view-store.ts';
import { runSubscriptionGroup, cursorOf } from '../../../src/projecting/subscription-group.ts';
import {
  AT_START,
  boxes,
  type BoxFact,
  filled,
  happen,
  groupOf,
  opened,
  SILENT_GROUP,
} from '../../projecting/projector.fixture.ts';
import { openLive } from '../../support/open-live.ts';
import { toyLink } from './toy-mongodb.ts';

describe('MongoDB commits of documents that begin', () => {
  it('do not look for them, whatever else changes beside them', async () => {
    let looks: string[] = [];
    const link = toyLink(new Map(), async (what) => {
      if (what.startsWith('find view_')) looks.push(what);
    });
    const views = mongoViewStore(link);
    const store = memoryEventStore();
    const [box] = await openLive(views, [boxes]);
    const track = cursorOf(boxes, { ...AT_START, generation: box!.generation });
    const taken = async (...facts: BoxFact[]): Promise<readonly string[]> => {
      looks = [];
      await happen(store, facts);
      await runSubscriptionGroup(groupOf(track), {
        store,
        views,
        pageSize: 100,
        ...SILENT_GROUP,
        batchDocuments: () => 10,
      });
      return looks;
    };
    expect(await taken(opened('a'), opened('b'))).to.deep.equal([]);
    expect(await taken(opened('c'), filled('a', 1))).to.deep.equal([]);
    expect((await taken(opened('d'), filled('never opened', 1))).length).to.equal(1);
  });
});
