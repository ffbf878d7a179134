/** Whoever waits until a projector has caught up waits for what it begins with, and no longer than there is work. */
import { expect } from 'chai';
import { openLive } from '../support/open-live.ts';
import { rejectionOf } from '../support/rejection.ts';
import { openWorld, viewEngines, type World } from './projector.engines.ts';
import {
  boxes,
  contents,
  filled,
  happen,
  opened,
  projections,
  replay,
  UNDECODABLE,
} from './projector.fixture.ts';

describe('Waiting for a projector', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld(viewEngines['memory']!);
    await openLive(world.views, projections);
  });
  afterEach(() => world.close());

  it('includes the event at which a view stood still, which whoever starts tries again', async () => {
    await happen(world.store, [opened('a'), filled('a', UNDECODABLE)]);
    const older = world.run({ projections: [boxes] }).projector;
    await older.start();
    await older.caughtUp();
    expect((await older.status()).views[0]?.state).to.equal('stuck');
    await older.stop();
    const newer = world.run({ projections: [boxes], decode: (event) => event as never }).projector;
    await newer.start();
    await newer.caughtUp();
    expect((await newer.status()).views[0]).to.deep.include({ state: 'current', stuck: null });
  });

  it('has patience with a projector that goes on, however little with one that does not', async () => {
    await happen(world.store, [opened('a'), filled('a', 1)]);
    const { projector } = world.run({ pageSize: 1, batchDocuments: 1, patienceMs: 0 });
    await projector.start();
    // Of the time that is left to other processes, nothing is used up by its own work.
    await projector.caughtUp(0);
    expect(await contents(world.views)).to.deep.equal(await replay(world.store));
  });

  it('does not begin with a mistake of the program: the start fails', async () => {
    const open = (): Promise<never> => Promise.reject(new TypeError('no such field'));
    const { projector } = world.run({ views: { ...world.views, open } });
    expect(await rejectionOf(projector.start())).to.be.instanceOf(TypeError);
  });
});
