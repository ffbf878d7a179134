/** The log has moved to another engine (src/migrating); the views have not. */
import { expect } from 'chai';
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { withOtherPositions } from '../support/other-positions.ts';
import { type ViewEngine, viewEngines } from './projector.engines.ts';
import {
  boxes,
  contents,
  filled,
  happen,
  opened,
  projections,
  projectorOn,
  replay,
  UNBEARABLE,
} from './projector.fixture.ts';

for (const [name, start] of Object.entries(viewEngines)) {
  describe(`projector on ${name}, when the log has moved to another engine`, () => {
    let engine: ViewEngine;
    let views: ViewStore;
    let here: EventStore;
    let there: EventStore;

    beforeEach(async () => {
      engine = await start();
      views = engine.connect();
      here = memoryEventStore();
      there = withOtherPositions(here);
      await happen(here, [opened('a'), filled('a', 3), opened('b', 'bob'), filled('b', 4, 'bob')]);
      await catchUpOnce(projectorOn(here, views).projector);
    });

    afterEach(() => engine.dispose());

    const generations = async () => (await views.status()).map(({ generation }) => generation);

    it('builds the views anew from the beginning, each beside the one that is served', async () => {
      const old = await generations();
      let readsMeanwhile = 0;
      const watched: ViewStore = {
        ...views,
        async promote(view, generation) {
          expect(await contents(views)).to.deep.equal(await replay(there));
          readsMeanwhile += 1;
          return views.promote(view, generation);
        },
      };
      await catchUpOnce(projectorOn(there, watched).projector);

      expect(readsMeanwhile).to.equal(projections.length);
      expect(await contents(views)).to.deep.equal(await replay(there));
      expect(await generations()).to.have.length(projections.length);
      expect(await generations()).not.to.have.members(old);
      const head = await there.head();
      for (const { live, checkpoint } of await views.status())
        expect({ live, checkpoint }).to.deep.equal({ live: true, checkpoint: head });
    });

    it('says meanwhile that they are being rebuilt, and takes no view for current', async () => {
      const { projector } = projectorOn(there, views);
      const { views: status, isHealthy } = await projector.status();
      expect(status.map(({ state }) => state)).to.deep.equal(['rebuilding', 'rebuilding']);
      expect(isHealthy).to.equal(true);
      expect(await projector.reached('boxes', (await there.head()) ?? '', 0)).to.equal(false);
    });

    it('shows what happens after the move', async () => {
      const { projector } = projectorOn(there, views);
      await projector.start();
      const position = await happen(there, [filled('a', 5)], 'more');
      expect(await projector.reached(boxes.name, position, 10_000)).to.equal(true);
      await projector.caughtUp();
      await projector.stop();
      expect(await contents(views)).to.deep.equal(await replay(there));
    });

    it('does so once, and again when the log moves back', async () => {
      await catchUpOnce(projectorOn(there, views).projector);
      const rebuilt = await generations();
      await catchUpOnce(projectorOn(there, views).projector);
      expect(await generations()).to.deep.equal(rebuilt);

      await catchUpOnce(projectorOn(here, views).projector);
      expect(await generations()).not.to.have.members(rebuilt);
      expect(await contents(views)).to.deep.equal(await replay(here));
    });

    it('keeps to what a person has decided, and stops again where a view stood still', async () => {
      await happen(here, [filled('a', UNBEARABLE)]);
      const { projector } = projectorOn(here, views);
      await catchUpOnce(projector);
      const stuck = (await projector.status()).views.find(({ view }) => view === boxes.name)?.stuck;
      await catchUpOnce(projectorOn(there, views).projector);
      const moved = projectorOn(there, views).projector;
      const again = (await moved.status()).views.find(({ view }) => view === boxes.name);
      expect(again?.stuck?.eventId).to.equal(stuck?.eventId);
      expect(again?.stuck?.position).to.satisfy((position: string) => there.knows(position));

      const eventId = stuck?.eventId ?? '';
      await moved.skip(boxes.name, eventId, { by: 'cli', reason: 'a test' });
      await catchUpOnce(moved);
      const [found, left, all] = await Promise.all([
        contents(views),
        replay(there, [eventId]),
        replay(there),
      ]);
      expect(found).to.deep.equal({ boxes: left['boxes'], owners: all['owners'] });
    });
  });
}
