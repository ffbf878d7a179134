import { expect } from 'chai';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { ViewsUnavailable, type ViewStore } from '../../projections/view-store.ts';
import { openLive } from '../support/open-live.ts';
import { until } from '../support/until.ts';
import { openWorld, viewEngines, type World } from './projector.engines.ts';
import { contents, filled, happen, opened, projections, replay } from './projector.fixture.ts';

for (const [name, start] of Object.entries(viewEngines)) {
  describe(`projector on ${name}, when a store is away`, () => {
    let world: World;
    beforeEach(async () => {
      world = await openWorld(start);
      await openLive(world.views, projections);
    });
    afterEach(() => world.close());

    it('says so, tries for ever, and goes on when it is back', async () => {
      let isAway = true;
      const orFail = <T>(error: Error, work: () => T): T => {
        if (isAway) throw error;
        return work();
      };
      const away = new ViewsUnavailable('away');
      const awayViews: ViewStore = {
        ...world.views,
        status: async () => orFail(away, () => world.views.status()),
        commit: async (commits) => orFail(away, () => world.views.commit(commits)),
      };
      const awayLog: EventStore = {
        ...world.store,
        subscribe: (options) => orFail(new StoreUnavailable('gone'), () => world.store.subscribe(options)),
      };
      await happen(world.store, [opened('a')]);
      for (const [views, store, error] of [
        [awayViews, world.store, 'ViewsUnavailable'],
        [world.views, awayLog, 'StoreUnavailable'],
      ] as const) {
        isAway = true;
        const { projector, errors } = world.run({ views, store });
        await projector.start();
        await until('it has failed twice', () => errors.length >= 2);
        expect(errors.map(({ error: reason }) => (reason as Error).name)).to.include(error);
        isAway = false;
        await projector.caughtUp();
        const position = await happen(world.store, [filled('a', 1)]);
        expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
        expect((await projector.status()).projectorError).to.equal(null);
        await projector.stop();
      }
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('is well again as soon as it is back, also where nothing happens', async () => {
      const position = await happen(world.store, [opened('a')]);
      for (const what of ['head', 'subscribe'] as const) {
        let isAway = what === 'subscribe';
        const awayLog: EventStore = {
          ...world.store,
          [what]: (options: Parameters<EventStore['subscribe']>[0]) => {
            if (isAway) throw new StoreUnavailable('gone');
            return what === 'head' ? world.store.head() : world.store.subscribe(options);
          },
        };
        const { projector, errors } = world.run({ store: awayLog });
        await projector.start();
        if (what === 'head') await projector.reached('boxes', position, 10_000);
        isAway = true;
        await until('it has failed', () => errors.length > 0);
        isAway = false;
        await until(
          `it is well again after ${what}`,
          async () => (await projector.status()).projectorError === null,
        );
        await projector.stop();
      }
    });

    it('stops all the same, and at once', async () => {
      const away: EventStore = { ...world.store, head: () => Promise.reject(new StoreUnavailable('gone')) };
      const { projector, errors } = world.run({ store: away });
      await projector.start();
      await until('it has failed', () => errors.length > 0);
      await projector.stop();
    });
  });
}
