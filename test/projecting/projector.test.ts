import { expect } from 'chai';
import fc from 'fast-check';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { openWorld, viewEngines, type World } from './projector.engines.ts';
import {
  type BoxFact,
  boxes,
  closed,
  contents,
  filled,
  happen,
  merged,
  opened,
  owners,
  projections,
  projectorOn,
  replay,
  wind,
} from './projector.fixture.ts';
import { openLive } from '../support/open-live.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';

const box = fc.constantFrom('a', 'b', 'c', 'd');
const fact: fc.Arbitrary<BoxFact> = fc.oneof(
  box.map((name) => opened(name)),
  {
    weight: 3,
    arbitrary: fc.tuple(box, fc.integer({ min: 1, max: 9 })).map(([name, amount]) => filled(name, amount)),
  },
  fc.tuple(box, box).map(([from, into]) => merged(from, into)),
  box.map(closed),
  fc.constant(wind),
);

for (const [name, start] of Object.entries(viewEngines)) {
  describe(`projector on ${name}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await openWorld(start);
      await openLive(world.views, projections);
    });
    afterEach(() => world.close());

    it('makes the views what a plain replay makes them, however the log is cut into pages', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fact, { minLength: 1, maxLength: 6 }), { maxLength: 12 }),
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 1, max: 30 }),
          async (appends, pageSize, batchDocuments) => {
            const fresh = await start();
            const log = memoryEventStore();
            for (const facts of appends) await happen(log, facts);
            const on = fresh.connect();
            await catchUpOnce(projectorOn(log, on, { pageSize, batchDocuments }).projector);
            expect(await contents(on)).to.deep.equal(await replay(log));
            await fresh.dispose();
          },
        ),
        { numRuns: 40 },
      );
    });

    it('takes in what happens while it runs, and lets its readers know', async () => {
      const { projector } = world.run();
      await projector.start();
      for (let i = 0; i < 20; i++) {
        const position = await happen(world.store, [opened(`b${i}`), filled(`b${i}`, i)]);
        expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
        expect(await world.views.getJson('boxes', `b${i}`)).to.contain(`"total":${i}`);
      }
      const position = await happen(world.store, [wind]);
      expect(await projector.reached('owners', position, 10_000)).to.equal(true);
      const status = await projector.status();
      expect(status).to.deep.include({
        isRunning: true,
        isHealthy: true,
        projectorError: null,
        head: position,
      });
      expect(status.views.map((one) => [one.view, one.state, one.documents])).to.deep.equal([
        ['boxes', 'current', 20],
        ['owners', 'current', 1],
      ]);
    });

    it('goes on where it stood', async () => {
      await happen(world.store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(world.run().projector);
      const decoded: string[] = [];
      await happen(world.store, [filled('a', 2)]);
      const { projector } = world.run({ decode: (event) => (decoded.push(event.type), event as never) });
      await catchUpOnce(projector);
      expect(decoded).to.deep.equal(['BoxFilled']);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('decodes an event once for all views, and none that no view takes', async () => {
      await happen(world.store, [opened('a'), filled('a', 1), wind]);
      const decoded: string[] = [];
      await catchUpOnce(
        world.run({ decode: (event) => (decoded.push(event.type), event as never) }).projector,
      );
      expect(decoded).to.deep.equal(['BoxOpened', 'BoxFilled']);
    });

    it('lets others run in the middle of a long page', async () => {
      await happen(
        world.store,
        Array.from({ length: 40 }, () => filled('a', 1)),
      );
      let turns = 0;
      let isOver = false;
      const turn = (): void => {
        turns += 1;
        if (!isOver) setImmediate(turn);
      };
      let before = 0;
      let after = 0;
      const { projector } = world.run({
        projections: [owners],
        decode(event) {
          before ||= turns;
          after = turns;
          for (const until = performance.now() + 1; performance.now() < until;);
          return event as never;
        },
      });
      setImmediate(turn);
      await catchUpOnce(projector);
      isOver = true;
      expect(after - before).to.be.greaterThan(2);
    });

    describe('reached', () => {
      it('is false when the time is over, and when the projector stops', async () => {
        await happen(world.store, [opened('a')]);
        const { projector } = world.run();
        expect(await projector.reached('boxes', '9', 5)).to.equal(false);
        const waiting = projector.reached('boxes', '9', 60_000);
        await projector.stop();
        expect(await waiting).to.equal(false);
      });

      it('is told at once, also later on, when the process is about to stop', async () => {
        const { projector } = projectorOn(world.store, world.views);
        const position = await happen(world.store, [opened('a')]);
        await projector.open();
        const waiting = projector.reached('boxes', position, 600_000);
        projector.dismiss();
        expect(await waiting).to.equal(false);
        expect(await projector.reached('boxes', position, 600_000)).to.equal(false);
      });

      it('learns it from another process that projects', async () => {
        const reader = world.run({ views: world.connect() }).projector;
        const position = await happen(world.store, [opened('a')]);
        const waiting = reader.reached('boxes', position, 10_000);
        await world.run().projector.start();
        expect(await waiting).to.equal(true);
        expect(await reader.reached('boxes', position, 0)).to.equal(true);
      });
    });

    describe('health', () => {
      it('is bad when the log is ahead and the checkpoint has not moved for ten seconds', async () => {
        let nowMs = 1_000_000;
        const { projector } = world.run({ now: () => nowMs });
        expect((await projector.status()).isHealthy).to.equal(true);
        await happen(world.store, [opened('a')]);
        nowMs += 3_600_000;
        expect((await projector.status()).isHealthy, 'after an idle hour').to.equal(true);
        nowMs += 9_999;
        expect((await projector.status()).isHealthy).to.equal(true);
        nowMs += 1;
        const status = await projector.status();
        expect(status.isHealthy).to.equal(false);
        expect(status.views[0]).to.deep.include({ state: 'catching-up', behindMs: 10_000, isHealthy: false });
        await projector.start();
        await projector.caughtUp();
        expect((await projector.status()).isHealthy).to.equal(true);
      });
    });

    it('goes on where it was when it is started again, as after a lease was lost and won back', async () => {
      const { projector } = world.run();
      await projector.start();
      const first = await happen(world.store, [opened('b1')]);
      expect(await projector.reached('boxes', first, 10_000)).to.equal(true);
      await projector.stop();
      const missed = await happen(world.store, [filled('b1', 1)]);
      expect(await projector.reached('boxes', missed, 50)).to.equal(false);
      expect((await projector.status()).isRunning).to.equal(false);
      await projector.start();
      expect(await projector.reached('boxes', missed, 10_000)).to.equal(true);
      expect((await projector.status()).isRunning).to.equal(true);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('is two at once without harm', async () => {
      const others = [world.connect(), world.connect()];
      const both = others.map((views) => world.run({ views, pageSize: 3 }).projector);
      for (const projector of both) await projector.start();
      let position = '';
      for (let i = 0; i < 60; i++) {
        position = await happen(world.store, [
          opened(`b${i % 7}`),
          filled(`b${i % 7}`, i),
          merged(`b${i % 3}`, 'b6'),
        ]);
      }
      for (const projector of both) {
        expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
        expect(await projector.reached('owners', position, 10_000)).to.equal(true);
      }
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });

    it('takes nothing into a view that has other fields under the same version, and says so', async () => {
      const changed = { ...boxes, fields: { ...boxes.fields, colour: 'text' as const } };
      const { projector } = world.run({ projections: [changed] });
      const said = /boxes has other fields or orders than its version/;
      expect(await rejectionOf(projector.open()))
        .to.be.instanceOf(ViewsUnavailable)
        .and.match(said);
      await projector.start();
      const error = async (): Promise<unknown> => (await projector.status()).projectorError?.error;
      await until('it says why', async () => said.test(String(await error())));
    });
  });
}
