/** The first generation of a view: served once it has taken in the whole log, and not before. */
import { expect } from 'chai';
import type { EventPage, EventStore } from '../../events/event-store.ts';
import { ViewBeingBuilt, type ViewStore, ViewsUnavailable } from '../../projections/view-store.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { rejectionOf } from '../support/rejection.ts';
import { aborted } from '../../src/timing/aborted.ts';
import { until } from '../support/until.ts';
import { openWorld, viewEngines, type World } from './projector.engines.ts';
import {
  boxes,
  contents,
  filled,
  happen,
  opened,
  owners,
  projections,
  replay,
  UNBEARABLE,
} from './projector.fixture.ts';

/** Many commits, so that there is much to see in between. */
const SMALL_STEPS = { pageSize: 2, batchDocuments: 1 };

for (const [name, start] of Object.entries(viewEngines)) {
  describe(`projector on ${name}: first generations`, () => {
    let world: World;
    beforeEach(async () => {
      world = await openWorld(start);
    });
    afterEach(() => world.close());
    async function fill(count: number): Promise<void> {
      for (let i = 0; i < count; i++)
        await happen(world.store, [opened(`box ${i % 7}`), filled(`box ${i % 7}`, i)]);
    }
    const isServed = async (view: string): Promise<boolean> => {
      const error = await world.views.getJson(view, 'any').then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error !== null) expect(error).to.be.instanceOf(ViewBeingBuilt);
      return error === null;
    };

    it('is served at once on an empty log, by whichever process asks first', async () => {
      await world.run().projector.open();
      expect([await isServed('boxes'), await isServed('owners')]).to.deep.equal([true, true]);
      const { projector } = world.run();
      await projector.start();
      const [first, second, ...more] = await world.views.status();
      expect([first?.live, second?.live, more]).to.deep.equal([true, true, []]);
      expect((await projector.status()).isHealthy).to.equal(true);
    });

    it('is not served while it is filled, and whole when it is', async () => {
      await fill(40);
      await world.run().projector.open();
      expect(await isServed('boxes')).to.equal(false);
      const seen: boolean[] = [];
      const looking: ViewStore = {
        ...world.views,
        async commit(all) {
          const refused = await world.views.commit(all);
          seen.push(await isServed('boxes'), await isServed('owners'));
          return refused;
        },
      };
      const { projector } = world.run({ ...SMALL_STEPS, views: looking });
      const [status] = (await projector.status()).views;
      expect(status).to.deep.include({
        state: 'building',
        isServed: false,
        isHealthy: true,
        building: null,
      });
      await catchUpOnce(projector);
      expect(seen).to.have.length.greaterThan(40);
      expect(seen).not.to.include(true);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('takes in what came while it was made ready for readers', async () => {
      await fill(5);
      const last: string[] = [];
      const promoted: boolean[] = [];
      const slow: ViewStore = {
        ...world.views,
        async makeReadable(view, generation) {
          await world.views.makeReadable(view, generation);
          if (last.length < 2) last.push(await happen(world.store, [opened(`late ${view}`)]));
        },
        async promote(view, generation) {
          const found = (await world.views.status()).find((one) => one.generation === generation);
          promoted.push((found?.checkpoint ?? '') >= (last[view === 'boxes' ? 0 : 1] ?? 'never'));
          return world.views.promote(view, generation);
        },
      };
      await catchUpOnce(world.run({ ...SMALL_STEPS, views: slow }).projector);
      expect(promoted, 'not before').to.deep.equal([true, true]);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('is gone on with by the next projector when one ends half-way', async () => {
      await fill(40);
      let commits = 0;
      const dying: ViewStore = {
        ...world.views,
        async commit(all) {
          commits += 1;
          if (commits > 8) throw new Error('it died');
          return world.views.commit(all);
        },
      };
      const first = world.run({ ...SMALL_STEPS, views: dying, patienceMs: 0 }).projector;
      await rejectionOf(catchUpOnce(first));
      const begun = await world.views.status();
      expect(begun.map(({ live, checkpoint }) => [live, checkpoint === null])).to.deep.equal([
        [false, false],
        [false, false],
      ]);
      await catchUpOnce(world.run().projector);
      const generations = (all: typeof begun): number[] => all.map(({ generation }) => generation);
      expect(generations(await world.views.status())).to.deep.equal(generations(begun));
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('is built once by two projectors that begin together', async () => {
      await fill(60);
      const both = [world.views, world.connect()].map(
        (views) => world.run({ ...SMALL_STEPS, views }).projector,
      );
      await Promise.all(both.map((one) => one.start()));
      await Promise.all(both.map((one) => one.caughtUp()));
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
      const position = await happen(world.store, [filled('box 1', 9)]);
      for (const one of both) expect(await one.reached('boxes', position, 10_000)).to.equal(true);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('of a view that came with a newer program keeps no other from being served', async () => {
      await fill(20);
      await catchUpOnce(world.run({ projections: [boxes] }).projector);
      const seen: boolean[][] = [];
      const looking: ViewStore = {
        ...world.views,
        async commit(all) {
          seen.push([await isServed('boxes'), await isServed('owners')]);
          return world.views.commit(all);
        },
      };
      const { projector } = world.run({ ...SMALL_STEPS, views: looking, projections: [boxes, owners] });
      await projector.open();
      expect((await projector.status()).views.map(({ state }) => state)).to.deep.equal([
        'current',
        'building',
      ]);
      await catchUpOnce(projector);
      expect(seen).to.have.length.greaterThan(10);
      for (const one of seen) expect(one).to.deep.equal([true, false]);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('is never served before an event that it cannot take, and is when a person skips that', async () => {
      await fill(5);
      await happen(world.store, [filled('box 1', UNBEARABLE)]);
      await fill(5);
      const head = (await world.store.head()) ?? '';
      const { projector } = world.run();
      await projector.start();
      await projector.caughtUp();
      expect([await isServed('boxes'), await isServed('owners')]).to.deep.equal([false, true]);
      expect(await projector.reached('boxes', head, 600_000), 'not worth waiting for').to.equal(false);
      const status = (await projector.status()).views[0];
      expect(status).to.deep.include({ state: 'stuck', isServed: false, isHealthy: false });

      const eventId = status?.stuck?.eventId ?? '';
      await projector.skip('boxes', eventId, { by: 'cli', reason: 'broken' });
      expect(await projector.reached('boxes', head, 10_000)).to.equal(true);
      expect((await contents(world.views))['boxes']).to.deep.equal(
        (await replay(world.store, [eventId]))['boxes'],
      );
    });

    it('may be asked for anew before it is there', async () => {
      await fill(20);
      const { projector } = world.run();
      await projector.open();
      await projector.rebuild('boxes');
      await catchUpOnce(projector);
      expect(await world.views.status()).to.have.length(projections.length);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('is waited for until it is whole, also where the projector stops meanwhile and begins again', async () => {
      await fill(5);
      let isSilent = true;
      const stalled: EventStore = {
        ...world.store,
        subscribe: (options) => (isSilent ? nothingUntil(options.signal) : world.store.subscribe(options)),
      };
      let looks = 0;
      const counted: ViewStore = {
        ...world.views,
        status() {
          looks += 1;
          return world.views.status();
        },
      };
      const { projector } = world.run({ store: stalled, views: counted });
      await projector.start();
      let isServedThen: boolean | null = null;
      const waiting = projector.caughtUp().then(async () => (isServedThen = await isServed('boxes')));
      // As when it loses its lease, since a long step held the event loop.
      await projector.stop();
      const before = looks;
      await until('it is waited for all the same', () => looks > before + 1);
      isSilent = false;
      await projector.start();
      await waiting;
      expect(isServedThen).to.equal(true);
    });

    it('is waited for no longer when the process is about to end, which is no sign that it is whole', async () => {
      await fill(5);
      const { projector } = world.run();
      const waiting = rejectionOf(projector.caughtUp());
      projector.dismiss();
      expect(await waiting).to.be.instanceOf(ViewsUnavailable);
      expect(await rejectionOf(projector.caughtUp())).to.be.instanceOf(ViewsUnavailable);
    });

    it('is waited for by who wants to read what was just written', async () => {
      await fill(5);
      const head = (await world.store.head()) ?? '';
      const reader = world.run({ views: world.connect() }).projector;
      await reader.open();
      expect(await reader.reached('boxes', head, 30)).to.equal(false);
      const waiting = reader.reached('boxes', head, 10_000);
      await world.run().projector.start();
      expect(await waiting).to.equal(true);
      expect(await isServed('boxes')).to.equal(true);
    });
  });
}

/** A log that is followed and tells nothing. */
async function* nothingUntil(signal: AbortSignal | undefined): AsyncGenerator<EventPage, void> {
  if (signal !== undefined) await aborted(signal);
  yield* [];
}
