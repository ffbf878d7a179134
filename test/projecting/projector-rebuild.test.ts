/** A view is built anew beside the live one, which is read and fed meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { ViewsUnavailable, type ViewStore } from '../../projections/view-store.ts';
import type { Projector } from '../../src/projecting/projector.ts';
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
  opened,
  owners,
  projections,
  replay,
} from './projector.fixture.ts';

/** Says in each document that it is of the second version. */
const boxesV2 = {
  ...boxes,
  version: 2,
  fields: { ...boxes.fields, version: 'integer' as const },
  on: {
    ...boxes.on,
    BoxOpened: {
      ...boxes.on.BoxOpened,
      apply: (_: unknown, { data }: Extract<BoxEvent, { type: 'BoxOpened' }>) => ({
        ...data,
        total: 0,
        fills: 0,
        version: 2,
      }),
    },
  },
  index: (box: Parameters<typeof boxes.index>[0]) => ({ ...boxes.index(box), version: 2 }),
} as typeof boxes;

for (const [name, start] of Object.entries(viewEngines)) {
  describe(`projector on ${name}: rebuilds`, () => {
    let world: World;
    beforeEach(async () => {
      world = await openWorld(start);
      await world.views.open(projections);
    });
    afterEach(() => world.close());
    async function generationsOf(view: string) {
      return (await world.views.status()).filter((one) => one.view === view);
    }

    /** Writes while the rebuild runs, and reads each write back at once. */
    async function writeAndRead(projector: Projector, isOver: () => Promise<boolean>): Promise<void> {
      for (let i = 0; !(await isOver()); i++) {
        await nextTurn();
        const position = await happen(world.store, [opened(`new${i}`), filled(`new${i}`, i)]);
        expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
        expect(await world.views.getJson('boxes', `new${i}`)).to.contain(`"total":${i}`);
        expect(await world.views.getJson('boxes', 'old0')).not.to.equal(undefined);
      }
    }

    it('swap in the same documents, while writers write and readers miss nothing', async () => {
      for (let i = 0; i < 300; i++) await happen(world.store, [opened(`old${i}`), filled(`old${i}`, i)]);
      const { projector } = world.run({ pageSize: 5, batchDocuments: 5 });
      await projector.start();
      await projector.caughtUp();
      const [before] = await generationsOf('boxes');
      await projector.rebuild('boxes');
      await writeAndRead(projector, async () => {
        const [now, ...others] = await generationsOf('boxes');
        return now?.generation !== before?.generation && others.length === 0;
      });
      await projector.caughtUp();
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
      const last = await happen(world.store, [filled('old0', 1)]);
      expect(await projector.reached('boxes', last, 10_000), 'fed on with the others').to.equal(true);
      expect(await rejectionOf(projector.rebuild('nowhere'))).to.be.instanceOf(RangeError);
    });

    it('overtake a live generation that is always a step ahead, and readers never see the view go back', async () => {
      await happen(world.store, [opened('old0')]);
      const acknowledged: string[] = [];
      const missed: string[] = [];
      let generation = 0;
      const { projector } = world.run({
        pageSize: 1,
        batchDocuments: 1,
        views: {
          ...world.views,
          /** Before each commit of the new generation the live one takes in one event more, if it is not held. */
          async commit(commits) {
            if (commits.some((one) => one.generation === generation)) {
              const box = `new${acknowledged.length}`;
              const position = await happen(world.store, [opened(box)]);
              if (await projector.reached('boxes', position, 100)) acknowledged.push(box);
            }
            return world.views.commit(commits);
          },
          async promote(view, promoted) {
            const isPromoted = await world.views.promote(view, promoted);
            for (const box of acknowledged) if (!(await world.views.getJson(view, box))) missed.push(box);
            return isPromoted;
          },
        },
      });
      await projector.start();
      await projector.caughtUp();
      await projector.rebuild('boxes');
      generation = Math.max(...(await generationsOf('boxes')).map((one) => one.generation));
      await until('the new one is live', async () => (await generationsOf('boxes')).length === 1);
      await projector.caughtUp();
      expect(acknowledged).not.to.deep.equal([]);
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
      expect(missed).to.deep.equal([]);
    });

    it('come by themselves with a new version; the old one is served until then', async () => {
      await happen(world.store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(world.run().projector);
      let isHeld = true;
      let release = (): void => {};
      const holding = new Promise<void>((resolve) => (release = resolve));
      const held: ViewStore = {
        ...world.views,
        async commit(commits) {
          if (isHeld && commits.some((one) => one.view === 'boxes')) await holding;
          return world.views.commit(commits);
        },
      };
      const { projector } = world.run({ views: held, projections: [boxesV2, owners] });
      await projector.start();
      await until('the new one is begun', async () => (await generationsOf('boxes')).length === 2);
      expect(await world.views.getJson('boxes', 'a')).not.to.contain('"version":2');
      expect((await projector.status()).views[0]).to.deep.include({
        state: 'rebuilding',
        version: 2,
        liveVersion: 1,
      });
      isHeld = false;
      release();
      await projector.caughtUp();
      expect(await world.views.getJson('boxes', 'a')).to.equal(
        '{"box":"a","owner":"ann","total":1,"fills":1,"version":2}',
      );
      const page = await world.views.page('boxes', { filter: { version: 2 }, order: '-total', limit: 5 });
      expect(page.total).to.equal(1);
      expect(await generationsOf('boxes')).to.have.length(1);
    });

    it('of a newer program are left alone by an older one', async () => {
      await happen(world.store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(world.run({ projections: [boxesV2, owners] }).projector);
      const [before] = await generationsOf('boxes');
      await happen(world.store, [filled('a', 2)]);
      const older = world.run({ views: world.connect() }).projector;
      await catchUpOnce(older);
      expect(await generationsOf('boxes')).to.deep.equal([before]);
      expect((await older.status()).views[0]).to.deep.include({
        state: 'newer',
        version: 1,
        liveVersion: 2,
        isHealthy: true,
      });
      expect(await world.views.getJson('owners', 'ann')).to.contain('"given":3');
    });

    it('of a newer program are waited for by an older one, no longer than it was told to', async () => {
      const newer = { projections: [boxesV2, owners] };
      await catchUpOnce(world.run(newer).projector);
      await happen(world.store, [opened('a')]);
      const older = world.run({ views: world.connect() }).projector;
      await older.start();
      expect(await rejectionOf(older.caughtUp(50))).to.be.instanceOf(ViewsUnavailable);
      const brought = older.caughtUp(60_000);
      await catchUpOnce(world.run({ ...newer, views: world.connect() }).projector);
      await brought;
      expect(await world.views.getJson('boxes', 'a')).not.to.equal(undefined);
    });

    it('that were interrupted are gone on with, and older ones dropped', async () => {
      await happen(world.store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(world.run().projector);
      const forgotten = await world.views.beginGeneration(boxes);
      const begun = await world.views.beginGeneration(boxes);
      const halfway = JSON.stringify({ box: 'a', owner: 'ann', total: 40, fills: 1 });
      const document = {
        json: halfway,
        fields: { owner: 'ann', total: 40 },
        words: [['a'], [], []] as const,
      };
      const first = (await world.store.head())!;
      const write = { key: 'a', position: first, document };
      await world.views.commit([
        { view: 'boxes', generation: begun.generation, from: null, to: first, writes: [write] },
      ]);
      await happen(world.store, [filled('a', 2)]);
      await catchUpOnce(world.run().projector);
      expect(await generationsOf('boxes')).to.have.length(1);
      expect((await generationsOf('boxes'))[0]).to.deep.include({ generation: begun.generation, live: true });
      expect(forgotten.generation).not.to.equal(begun.generation);
      expect(await world.views.getJson('boxes', 'a'), 'built upon').to.contain('"total":42');
    });

    it('can be begun and finished by another process beside the one that serves', async () => {
      for (let i = 0; i < 200; i++) await happen(world.store, [opened(`old${i}`), filled(`old${i}`, i)]);
      const serving = world.run({ pageSize: 5, batchDocuments: 5 }).projector;
      await serving.start();
      await serving.caughtUp();
      const [before] = await generationsOf('boxes');
      const command = world.run({ views: world.connect(), pageSize: 7, batchDocuments: 7 }).projector;
      await command.rebuild('boxes');
      let isOver = false;
      const rebuilt = catchUpOnce(command).then(() => (isOver = true));
      await writeAndRead(serving, async () => isOver);
      await rebuilt;
      expect(
        (await generationsOf('boxes')).map((one) => [one.live, one.generation > before!.generation]),
      ).to.deep.equal([[true, true]]);
      const last = await happen(world.store, [filled('old0', 1)]);
      expect(await serving.reached('boxes', last, 10_000)).to.equal(true);
      await serving.caughtUp();
      expect(await contents(world.views)).to.deep.equal(await replay(world.store));
    });
  });
}
