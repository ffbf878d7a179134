/** An event that a view cannot take stops that view alone, at that event, until a person mends or skips it. */
import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { type GenerationStatus, ViewsUnavailable, type ViewStore } from '../../projections/view-store.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { openWorld, viewEngines, type World } from './projector.engines.ts';
import {
  type BoxEvent,
  boxes,
  contents,
  filled,
  happen,
  merged,
  opened,
  projections,
  projectorOn,
  replay,
  UNBEARABLE,
  UNDECODABLE,
  UNINDEXABLE,
} from './projector.fixture.ts';
import { openLive } from '../support/open-live.ts';

/** The boxes as mended code would make them. */
const mendedBoxes = {
  ...boxes,
  on: { ...boxes.on, BoxFilled: { keys: () => ['a'], apply: (box: never) => box } },
} as typeof boxes;

for (const [name, start] of Object.entries(viewEngines)) {
  describe(`projector on ${name}: stuck views`, () => {
    let world: World;
    beforeEach(async () => {
      world = await openWorld(start);
      await openLive(world.views, projections);
    });
    afterEach(() => world.close());
    async function statusOf(view: string): Promise<GenerationStatus> {
      return (await world.views.status()).find((one) => one.view === view && one.live)!;
    }

    it('stand just before the event, and the others go on', async () => {
      const before = await happen(world.store, [opened('a'), filled('a', 1)]);
      const poison = await happen(world.store, [filled('a', UNBEARABLE)]);
      await happen(world.store, [filled('a', 5)]);
      const { projector, errors } = world.run();
      await projector.start();
      await projector.caughtUp();

      const stuck = await statusOf('boxes');
      expect(stuck.checkpoint).to.equal(before);
      expect(stuck.stuck).to.deep.include({ position: poison, error: 'Error: this box cannot bear it' });
      expect(await world.views.getJson('boxes', 'a')).to.contain('"total":1,');
      const last = await happen(world.store, [filled('a', 6)]);
      expect(await projector.reached('owners', last, 10_000)).to.equal(true);
      expect(await world.views.getJson('owners', 'ann')).to.contain(`"given":${12 + UNBEARABLE}`);
      expect(await projector.reached('boxes', before, 0)).to.equal(true);
      expect(await projector.reached('boxes', last, 10_000), 'not worth waiting for').to.equal(false);

      const status = await projector.status();
      expect(status.isHealthy).to.equal(false);
      expect(status.views.map((one) => [one.view, one.state, one.isHealthy])).to.deep.equal([
        ['boxes', 'stuck', false],
        ['owners', 'current', true],
      ]);
      expect(errors.map((one) => one.view)).to.deep.equal(['boxes']);
    });

    it('are all that handle an event which cannot be decoded', async () => {
      const poison = await happen(world.store, [filled('a', UNDECODABLE)]);
      await catchUpOnce(world.run().projector);
      for (const view of ['boxes', 'owners']) {
        expect(await statusOf(view)).to.deep.include({ checkpoint: null });
        expect((await statusOf(view)).stuck?.position).to.equal(poison);
      }
    });

    it('keep what came before in the same page, also when it shows only in the finished document', async () => {
      const before = await happen(world.store, [
        opened('a'),
        filled('a', 1),
        opened('b'),
        merged('b', 'x'),
        opened('c'),
      ]);
      const poison = await happen(world.store, [filled('a', UNINDEXABLE - 1)]);
      await happen(world.store, [opened('d'), filled('d', 1)]);
      await catchUpOnce(world.run().projector);
      const { checkpoint, stuck } = await statusOf('boxes');
      expect([checkpoint, stuck?.position]).to.deep.equal([before, poison]);
      expect(stuck?.error).to.equal('RangeError: boxes.total cannot be 0.5');
      const { rows } = await world.views.page('boxes', { filter: {}, order: '-total', limit: 9 });
      expect(rows.map((row) => JSON.parse(row).box)).to.deep.equal(['a', 'c']);
      expect(await world.views.getJson('boxes', 'a')).to.contain('"total":1,');
    });

    it('go on when a program that can take the event starts', async () => {
      await happen(world.store, [opened('a'), filled('a', UNBEARABLE)]);
      await catchUpOnce(world.run().projector);
      expect((await statusOf('boxes')).stuck).not.to.equal(null);
      await catchUpOnce(world.run().projector);
      expect((await statusOf('boxes')).stuck, 'tried again, in vain').not.to.equal(null);
      await catchUpOnce(world.run({ projections: [mendedBoxes] }).projector);
      expect(await statusOf('boxes')).to.deep.include({ stuck: null, checkpoint: await world.store.head() });
      const { projector } = world.run({ projections: [mendedBoxes] });
      await projector.start();
      await until('it is no longer called stuck', async () => (await projector.status()).isHealthy);
    });

    it('are tried again when a person asks for it', async () => {
      await happen(world.store, [opened('a'), filled('a', UNBEARABLE)]);
      let tries = 0;
      const { projector } = world.run({
        decode(event) {
          if (event.type !== 'BoxFilled') return event as BoxEvent;
          tries += 1;
          if (tries < 4) throw new Error('not yet');
          return { ...event, data: { box: 'a', owner: 'ann', amount: 3 } } as BoxEvent;
        },
        projections: [boxes],
      });
      await projector.start();
      await projector.caughtUp();
      for (const expected of [2, 3]) {
        expect((await statusOf('boxes')).stuck?.error).to.equal('Error: not yet');
        const again = tries;
        await projector.retry('boxes');
        await until('it has been tried', () => tries === again + 1);
        await projector.caughtUp();
        expect(tries).to.equal(expected);
      }
      await projector.retry('boxes');
      const last = await happen(world.store, [opened('b')]);
      expect(await projector.reached('boxes', last, 10_000)).to.equal(true);
      expect(await world.views.getJson('boxes', 'a')).to.contain('"total":3');
    });

    it('go on without an event that a person skips, now and in later generations', async () => {
      await happen(world.store, [opened('a'), filled('a', 1), filled('a', UNBEARABLE), filled('a', 2)]);
      const { projector } = world.run();
      await projector.start();
      await projector.caughtUp();
      const eventId = (await statusOf('boxes')).stuck!.eventId;

      const decision = { by: 'eve', reason: 'a bug of last week' };
      const refused = await rejectionOf(projector.skip('boxes', 'evt_other', decision));
      expect(refused).to.be.instanceOf(RangeError);
      await projector.skip('boxes', eventId, decision);
      await projector.caughtUp();
      await until(
        'it has come to the end',
        async () => (await projector.status()).views[0]?.state === 'current',
      );
      expect(await world.views.getJson('boxes', 'a')).to.contain('"total":3');
      expect(await world.views.getJson('owners', 'ann'), 'which could take it').to.contain(
        `"given":${3 + UNBEARABLE}`,
      );
      const [kept] = await world.views.skipped();
      expect(kept).to.deep.include({ view: 'boxes', eventId, ...decision });

      const { generation } = await statusOf('boxes');
      await projector.rebuild('boxes');
      await projector.caughtUp();
      expect(await statusOf('boxes')).to.deep.include({ stuck: null, checkpoint: await world.store.head() });
      expect((await statusOf('boxes')).generation).to.be.greaterThan(generation);
      expect((await contents(world.views)).boxes).to.deep.equal((await replay(world.store, [eventId])).boxes);
    });

    it('are mended and skipped from another process than the one that projects', async () => {
      await happen(world.store, [opened('a'), filled('a', UNBEARABLE), filled('a', 2)]);
      const { projector } = world.run();
      await projector.start();
      await projector.caughtUp();
      const command = world.run({ views: world.connect() }).projector;
      await command.skip('boxes', (await statusOf('boxes')).stuck!.eventId, { by: 'cli', reason: 'broken' });
      const last = await happen(world.store, [filled('a', 1)]);
      await until('the view has gone on', () => projector.reached('boxes', last, 100));
      expect(await world.views.getJson('boxes', 'a')).to.contain('"total":3');
    });

    it('that are being rebuilt leave the live generation as it is', async () => {
      await happen(world.store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(world.run().projector);
      const broken: typeof boxes = {
        ...boxes,
        version: 2,
        index: () => {
          throw new Error('a bug of today');
        },
      };
      const { projector } = world.run({ projections: [broken] });
      await catchUpOnce(projector);
      expect(await world.views.getJson('boxes', 'a')).to.contain('"total":1');
      const { live, stuck } = (await world.views.status()).find((one) => one.version === 2)!;
      expect([live, stuck?.error]).to.deep.equal([false, 'Error: a bug of today']);
      expect((await projector.status()).views[0]).to.deep.include({
        state: 'stuck',
        liveVersion: 1,
        isHealthy: false,
      });
    });
  });
}

describe('a projector that cannot write', () => {
  it('tells whoever waits for it why, instead of letting him wait for ever', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    const full = new ViewsUnavailable('the disk is full');
    const unwritable: ViewStore = { ...views, commit: () => Promise.reject(full) };
    await happen(store, [opened('a')]);
    const { projector } = projectorOn(store, unwritable, { patienceMs: 100 });
    const failure = await catchUpOnce(projector).then(
      () => undefined,
      (error: unknown) => error,
    );

    expect(failure).to.equal(full);
  });

  it('is borne with while it may still get better', async () => {
    const store = memoryEventStore();
    const views = memoryViewStore();
    let failures = 3;
    const recovering: ViewStore = {
      ...views,
      commit: (commits) =>
        (failures -= 1) >= 0 ? Promise.reject(new ViewsUnavailable('not now')) : views.commit(commits),
    };
    await happen(store, [opened('a')]);
    await catchUpOnce(projectorOn(store, recovering).projector);

    expect(await views.getJson('boxes', 'a')).to.contain('"total":0');
  });
});
