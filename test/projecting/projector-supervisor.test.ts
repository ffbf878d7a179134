/** What the projector finds when it looks at the generations there are, which others move, restore, stop and drop. */
import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { ViewCommit, ViewStore } from '../../projections/view-store.ts';
import type { Projector } from '../../src/projecting/projector.ts';
import type { ProjectorParts } from '../../src/projecting/projector-parts.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { openLive } from '../support/open-live.ts';
import { until } from '../support/until.ts';
import {
  type BoxEvent,
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

describe('A projector that looks at its generations', () => {
  let store: EventStore;
  let views: ViewStore;
  let looks: number;
  let commits: ViewCommit[];
  let watched: ViewStore;
  const started: Projector[] = [];
  /** Ends what is held, also where a test fails before it does. */
  let release = (): void => {};
  beforeEach(async () => {
    store = memoryEventStore();
    views = memoryViewStore();
    await openLive(views, projections);
    looks = 0;
    commits = [];
    watched = {
      ...views,
      skipped() {
        looks += 1;
        return views.skipped();
      },
      commit(all) {
        commits.push(...all);
        return views.commit(all);
      },
    };
  });
  afterEach(async () => {
    release();
    for (const projector of started.splice(0)) await projector.stop();
  });

  async function start(on: ViewStore, parts: Partial<ProjectorParts<BoxEvent>> = {}): Promise<Projector> {
    const { projector } = projectorOn(store, on, parts);
    started.push(projector);
    await projector.start();
    await projector.caughtUp();
    return projector;
  }
  async function hasLooked(times: number): Promise<void> {
    const wanted = looks + times;
    await until('it has looked again', () => looks >= wanted);
  }
  const generationsOf = async (view: string) => (await views.status()).filter((one) => one.view === view);
  const of = (view: string) => commits.filter((one) => one.view === view);

  for (const [what, taken] of [
    ['half of the log', 1],
    ['nothing', 0],
  ] as const) {
    it(`goes back with an engine that was restored from a backup with ${what}, though nothing happens`, async () => {
      const backup = memoryViewStore();
      await openLive(backup, projections);
      if (taken > 0) {
        await happen(store, [opened('a'), filled('a', 1)]);
        await catchUpOnce(projectorOn(store, backup).projector);
      }
      await happen(store, [opened('b', 'bob'), filled('b', 2, 'bob')]);
      let engine = views;
      const restored: ViewStore = {
        ...views,
        status: () => engine.status(),
        load: (...asked) => engine.load(...asked),
        commit: (all) => engine.commit(all),
      };
      await start(restored);
      expect(await contents(views)).to.deep.equal(await replay(store));
      engine = backup;
      const head = await store.head();
      await until('the backup has come to the end of the log', async () =>
        (await backup.status()).every(({ checkpoint }) => checkpoint === head),
      );
      expect(await contents(backup)).to.deep.equal(await replay(store));
    });
  }

  it('follows each generation once, however often it looks', async () => {
    await happen(store, [opened('a')]);
    const projector = await start(watched);
    await hasLooked(2);
    commits = [];
    const position = await happen(store, [filled('a', 1)]);
    expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
    await hasLooked(1);
    expect(of('boxes').map(({ to }) => to)).to.deep.equal([position]);
    expect(of('owners').map(({ to }) => to)).to.deep.equal([position]);
  });

  it('calls no view stuck that has passed the event, which a program could take', async () => {
    const position = await happen(store, [opened('a'), filled('a', 1)]);
    const projector = await start(watched);
    const [live] = await generationsOf('boxes');
    // An older program, to which the view belonged until then, was late to say so.
    const stuck = { position, eventId: 'evt_late', error: 'Error: no', at: '2026-11-01T00:00:00.000Z' };
    await views.setStuck('boxes', live?.generation ?? 0, stuck);
    await until('it is no longer stuck', async () => (await generationsOf('boxes'))[0]?.stuck === null);
    const last = await happen(store, [filled('a', 2)]);
    expect(await projector.reached('boxes', last, 10_000)).to.equal(true);
    expect((await projector.status()).isHealthy).to.equal(true);
  });

  it('leaves a view alone that stands before an event which nobody could take', async () => {
    let tries = 0;
    await happen(store, [opened('a'), filled('a', UNBEARABLE)]);
    await start(watched, {
      projections: [boxes],
      decode(event) {
        if (event.type === 'BoxFilled') tries += 1;
        // What the fixture decodes.
        return event as BoxEvent;
      },
    });
    const before = tries;
    await hasLooked(3);
    expect(tries).to.equal(before);
    expect((await generationsOf('boxes'))[0]?.stuck?.error).to.contain('cannot bear it');
  });

  it('feeds a rebuilt generation alone once it is live, and makes it live once', async () => {
    await happen(store, [opened('a'), filled('a', 1)]);
    const promoted: number[] = [];
    const projector = await start({
      ...watched,
      async promote(view, generation) {
        commits = [];
        promoted.push(generation);
        return views.promote(view, generation);
      },
    });
    const [before] = await generationsOf('boxes');
    await projector.rebuild('boxes');
    await until('the new one is live', async () => {
      const [now, ...others] = await generationsOf('boxes');
      return others.length === 0 && now?.generation !== before?.generation;
    });
    const [now] = await generationsOf('boxes');
    for (const amount of [2, 3]) {
      const position = await happen(store, [filled('a', amount)]);
      expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
    }
    await hasLooked(1);
    expect(promoted).to.deep.equal([now?.generation]);
    expect(new Set(of('boxes').map(({ generation }) => generation))).to.deep.equal(
      new Set([now?.generation]),
    );
    expect(await contents(views)).to.deep.equal(await replay(store));
  });

  it('goes on with the live one where somebody else has dropped what it was about to make live', async () => {
    await happen(store, [opened('a'), filled('a', 1)]);
    let holding: Promise<void> | null = null;
    const dropped: number[] = [];
    const [before] = await generationsOf('boxes');
    const projector = await start({
      ...watched,
      async commit(all) {
        if (all.some(({ generation }) => generation === before?.generation)) await holding;
        return watched.commit(all);
      },
      async promote(view, generation) {
        dropped.push(generation);
        commits = [];
        await views.dropGeneration(view, generation);
        return views.promote(view, generation);
      },
    });
    // The live one is slower than the one that is built.
    holding = new Promise((resolve) => (release = resolve));
    const ahead = await happen(store, [filled('a', 2)]);
    let isTold = false;
    const waiting = projector.reached('boxes', ahead, 60_000).then(() => (isTold = true));
    await projector.rebuild('boxes');
    await until('it has been refused', () => dropped.length > 0);
    const position = await happen(store, [filled('a', 3)]);
    await hasLooked(1);
    expect(isTold, 'readers do not see it yet').to.equal(false);
    release();
    await waiting;
    expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
    expect(dropped).to.have.lengthOf(1);
    expect(of('boxes').map(({ generation }) => generation)).not.to.include(dropped[0]);
    expect(await generationsOf('boxes')).to.have.lengthOf(1);
    expect(await contents(views)).to.deep.equal(await replay(store));
  });

  it('drops what was begun and superseded at once, not only when the newest goes live', async () => {
    await happen(store, [opened('a'), filled('a', 1)]);
    await catchUpOnce(projectorOn(store, views).projector);
    const [live] = await generationsOf('boxes');
    const [forgotten, newest] = [await views.beginGeneration(boxes), await views.beginGeneration(boxes)];
    const holding = new Promise<void>((resolve) => (release = resolve));
    const { projector } = projectorOn(store, {
      ...watched,
      async commit(all) {
        if (all.some(({ generation }) => generation === newest.generation)) await holding;
        return watched.commit(all);
      },
    });
    started.push(projector);
    await projector.start();
    const numbers = async () => (await generationsOf('boxes')).map(({ generation }) => generation);
    await until(
      'the superseded one is dropped',
      async () => !(await numbers()).includes(forgotten.generation),
    );
    expect(await numbers()).to.have.members([live?.generation, newest.generation]);
    release();
    await projector.caughtUp();
    expect(await numbers()).to.deep.equal([newest.generation]);
  });
});
