/** A view is built anew beside the live one, which is read and fed meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { ViewsUnavailable, type ViewStore } from '../../projections/view-store.ts';
import type { Projector } from '../../src/runners/projector.ts';
import type { ProjectorParts } from '../../src/runners/projector-parts.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { type ViewEngine, viewEngines } from './projector.engines.ts';
import {
  type BoxEvent,
  boxes,
  contents,
  filled,
  happen,
  opened,
  owners,
  projections,
  projectorOn,
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
    let engine: ViewEngine;
    let store: EventStore;
    let views: ViewStore;
    const started: Projector[] = [];
    beforeEach(async () => {
      engine = await start();
      store = memoryEventStore();
      views = engine.connect();
      await views.open(projections);
    });
    afterEach(async () => {
      for (const projector of started.splice(0)) await projector.stop();
      await engine.dispose();
    });
    function run(parts: Partial<ProjectorParts<BoxEvent>> = {}, on = views): Projector {
      const { projector } = projectorOn(store, on, parts);
      started.push(projector);
      return projector;
    }
    async function generationsOf(view: string) {
      return (await views.status()).filter((one) => one.view === view);
    }

    /** Writes while the rebuild runs, and reads each write back at once. */
    async function writeAndRead(projector: Projector, isOver: () => Promise<boolean>): Promise<void> {
      for (let i = 0; !(await isOver()); i++) {
        await nextTurn();
        const position = await happen(store, [opened(`new${i}`), filled(`new${i}`, i)]);
        expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
        expect(await views.getJson('boxes', `new${i}`)).to.contain(`"total":${i}`);
        expect(await views.getJson('boxes', 'old0')).not.to.equal(undefined);
      }
    }

    it('swap in the same documents, while writers write and readers miss nothing', async () => {
      for (let i = 0; i < 300; i++) await happen(store, [opened(`old${i}`), filled(`old${i}`, i)]);
      const projector = run({ pageSize: 5, batchDocuments: 5 });
      await projector.start();
      await projector.caughtUp();
      const [before] = await generationsOf('boxes');
      await projector.rebuild('boxes');
      await writeAndRead(projector, async () => {
        const [now, ...others] = await generationsOf('boxes');
        return now?.generation !== before?.generation && others.length === 0;
      });
      await projector.caughtUp();
      expect(await contents(views)).to.deep.equal(await replay(store));
      const last = await happen(store, [filled('old0', 1)]);
      expect(await projector.reached('boxes', last, 10_000), 'fed on with the others').to.equal(true);
      expect(await projector.rebuild('nowhere').catch((error: unknown) => error)).to.be.instanceOf(
        RangeError,
      );
    });

    it('overtake a live generation that is always a step ahead, and readers never see the view go back', async () => {
      await happen(store, [opened('old0')]);
      const acknowledged: string[] = [];
      const missed: string[] = [];
      let generation = 0;
      const projector = run(
        { pageSize: 1, batchDocuments: 1 },
        {
          ...views,
          /** Before each commit of the new generation the live one takes in one event more, if it is not held. */
          async commit(commits) {
            if (commits.some((one) => one.generation === generation)) {
              const box = `new${acknowledged.length}`;
              const position = await happen(store, [opened(box)]);
              if (await projector.reached('boxes', position, 100)) acknowledged.push(box);
            }
            return views.commit(commits);
          },
          async promote(view, promoted) {
            const isPromoted = await views.promote(view, promoted);
            for (const box of acknowledged) if (!(await views.getJson(view, box))) missed.push(box);
            return isPromoted;
          },
        },
      );
      await projector.start();
      await projector.caughtUp();
      await projector.rebuild('boxes');
      generation = Math.max(...(await generationsOf('boxes')).map((one) => one.generation));
      await until('the new one is live', async () => (await generationsOf('boxes')).length === 1);
      await projector.caughtUp();
      expect(acknowledged).not.to.deep.equal([]);
      expect(await contents(views)).to.deep.equal(await replay(store));
      expect(missed).to.deep.equal([]);
    });

    it('come by themselves with a new version; the old one is served until then', async () => {
      await happen(store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(run());
      let isHeld = true;
      let release = (): void => {};
      const holding = new Promise<void>((resolve) => (release = resolve));
      const held: ViewStore = {
        ...views,
        async commit(commits) {
          if (isHeld && commits.some((one) => one.view === 'boxes')) await holding;
          return views.commit(commits);
        },
      };
      const projector = run({ projections: [boxesV2, owners] }, held);
      await projector.start();
      await until('the new one is begun', async () => (await generationsOf('boxes')).length === 2);
      expect(await views.getJson('boxes', 'a')).not.to.contain('"version":2');
      expect((await projector.status()).views[0]).to.deep.include({
        state: 'rebuilding',
        version: 2,
        liveVersion: 1,
      });
      isHeld = false;
      release();
      await projector.caughtUp();
      expect(await views.getJson('boxes', 'a')).to.equal(
        '{"box":"a","owner":"ann","total":1,"fills":1,"version":2}',
      );
      const page = await views.page('boxes', { filter: { version: 2 }, order: '-total', limit: 5 });
      expect(page.total).to.equal(1);
      expect(await generationsOf('boxes')).to.have.length(1);
    });

    it('of a newer program are left alone by an older one', async () => {
      await happen(store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(run({ projections: [boxesV2, owners] }));
      const [before] = await generationsOf('boxes');
      await happen(store, [filled('a', 2)]);
      const older = run({}, engine.connect());
      await catchUpOnce(older);
      expect(await generationsOf('boxes')).to.deep.equal([before]);
      expect((await older.status()).views[0]).to.deep.include({
        state: 'newer',
        version: 1,
        liveVersion: 2,
        isHealthy: true,
      });
      expect(await views.getJson('owners', 'ann')).to.contain('"given":3');
    });

    it('of a newer program are waited for by an older one, no longer than it was told to', async () => {
      const newer = { projections: [boxesV2, owners] };
      await catchUpOnce(run(newer));
      await happen(store, [opened('a')]);
      const older = run({}, engine.connect());
      await older.start();
      expect(await rejectionOf(older.caughtUp(50))).to.be.instanceOf(ViewsUnavailable);
      const brought = older.caughtUp(60_000);
      await catchUpOnce(run(newer, engine.connect()));
      await brought;
      expect(await views.getJson('boxes', 'a')).not.to.equal(undefined);
    });

    it('that were interrupted are gone on with, and older ones dropped', async () => {
      await happen(store, [opened('a'), filled('a', 1)]);
      await catchUpOnce(run());
      const forgotten = await views.beginGeneration(boxes);
      const begun = await views.beginGeneration(boxes);
      const halfway = JSON.stringify({ box: 'a', owner: 'ann', total: 40, fills: 1 });
      const document = {
        json: halfway,
        fields: { owner: 'ann', total: 40 },
        words: [['a'], [], []] as const,
      };
      const first = (await store.head())!;
      const write = { key: 'a', position: first, document };
      await views.commit([
        { view: 'boxes', generation: begun.generation, from: null, to: first, writes: [write] },
      ]);
      await happen(store, [filled('a', 2)]);
      await catchUpOnce(run());
      expect(await generationsOf('boxes')).to.have.length(1);
      expect((await generationsOf('boxes'))[0]).to.deep.include({ generation: begun.generation, live: true });
      expect(forgotten.generation).not.to.equal(begun.generation);
      expect(await views.getJson('boxes', 'a'), 'built upon').to.contain('"total":42');
    });

    it('can be begun and finished by another process beside the one that serves', async () => {
      for (let i = 0; i < 200; i++) await happen(store, [opened(`old${i}`), filled(`old${i}`, i)]);
      const serving = run({ pageSize: 5, batchDocuments: 5 });
      await serving.start();
      await serving.caughtUp();
      const [before] = await generationsOf('boxes');
      const command = run({ pageSize: 7, batchDocuments: 7 }, engine.connect());
      await command.rebuild('boxes');
      let isOver = false;
      const rebuilt = catchUpOnce(command).then(() => (isOver = true));
      await writeAndRead(serving, async () => isOver);
      await rebuilt;
      expect(
        (await generationsOf('boxes')).map((one) => [one.live, one.generation > before!.generation]),
      ).to.deep.equal([[true, true]]);
      const last = await happen(store, [filled('old0', 1)]);
      expect(await serving.reached('boxes', last, 10_000)).to.equal(true);
      await serving.caughtUp();
      expect(await contents(views)).to.deep.equal(await replay(store));
    });
  });
}
