/** Projectors in several processes, some of which die. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { EventStore } from '../../events/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../infra/sqlite/event-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import { ViewsUnavailable, type ViewStore } from '../../projections/view-store.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { rejectionOf } from '../support/rejection.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import {
  contents,
  filled,
  happen,
  merged,
  opened,
  projections,
  projectorOn,
  replay,
} from './projector.fixture.ts';

describe('projectors in several processes', function () {
  this.timeout(120_000);
  let folder: TempFolder;
  let log: SqliteLog;
  let store: EventStore;
  let views: ViewStore;
  beforeEach(async () => {
    folder = await tempFolder();
    log = await openSqliteLog({ path: folder.file('log.db') });
    store = log.store;
    views = openSqliteViewStore(folder.file('views.db'));
    await views.open(projections);
  });
  afterEach(async () => {
    await views.close();
    await log.close();
    await folder.remove();
  });
  function child(errand: 'catch-up' | 'rebuild'): ChildProcess {
    const script = fileURLToPath(new URL('./projector-child.main.ts', import.meta.url));
    const paths = [folder.file('log.db'), folder.file('views.db')];
    return fork(script, [...paths, errand], { execArgv: ['--import', 'tsx'] });
  }
  async function fill(count: number, prefix: string): Promise<void> {
    for (let i = 0; i < count; i++) {
      const name = `${prefix}${i % 17}`;
      await happen(store, [opened(name), filled(name, i), merged(`${prefix}${i % 5}`, `${prefix}16`)]);
    }
  }

  it('leave views equal to a replay when they are killed between any two commits', async () => {
    await fill(200, 'a');
    for (const commits of [1, 2, 5, 9, 23]) {
      const victim = child('catch-up');
      await commitsOf(victim, commits);
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      await fill(60, `after${commits}-`);
    }
    await catchUpOnce(projectorOn(store, views).projector);
    expect(await contents(views)).to.deep.equal(await replay(store));
  });

  it('are waited for by one that does not project, and no longer than it was told to', async () => {
    await fill(20, 'a');
    const waiting = projectorOn(store, views).projector;
    const error = await rejectionOf(waiting.caughtUp(50));
    expect(error).to.be.instanceOf(ViewsUnavailable);
    const brought = waiting.caughtUp(60_000);
    await catchUpOnce(projectorOn(store, views).projector);
    await brought;
    expect(await contents(views)).to.deep.equal(await replay(store));
  });

  it('finish the rebuild that a killed one has begun', async () => {
    await fill(100, 'a');
    await catchUpOnce(projectorOn(store, views).projector);
    const [before] = await views.status();
    const victim = child('rebuild');
    await commitsOf(victim, 6);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    expect((await views.status()).filter((one) => one.view === 'boxes')).to.have.length(2);
    await catchUpOnce(projectorOn(store, views).projector);
    const boxes = (await views.status()).filter((one) => one.view === 'boxes');
    expect(boxes).to.have.length(1);
    expect(boxes[0]?.generation).to.be.greaterThan(before!.generation);
    expect(await contents(views)).to.deep.equal(await replay(store));
  });

  it('rebuild beside one that serves, whose readers miss nothing', async () => {
    await fill(300, 'a');
    const { projector } = projectorOn(store, views);
    await projector.start();
    await projector.caughtUp();
    const rebuilding = child('rebuild');
    const ended = once(rebuilding, 'exit');
    let isOver = false;
    void ended.then(() => (isOver = true));
    for (let i = 0; !isOver; i++) {
      const position = await happen(store, [opened(`new${i}`), filled(`new${i}`, i)]);
      expect(await projector.reached('boxes', position, 10_000)).to.equal(true);
      expect(await views.getJson('boxes', `new${i}`)).to.contain(`"total":${i}`);
      expect(await views.getJson('boxes', 'a16')).not.to.equal(undefined);
    }
    expect((await ended)[0]).to.equal(0);
    await projector.caughtUp();
    expect(await contents(views)).to.deep.equal(await replay(store));
    expect((await projector.status()).isHealthy).to.equal(true);
    await projector.stop();
  });
});

/** Resolves once the child has told of so many commits; it must not end before. */
async function commitsOf(child: ChildProcess, count: number): Promise<void> {
  const enough = new Promise<void>((resolve) => {
    let left = count;
    child.on('message', () => --left === 0 && resolve());
  });
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`it ended with ${String(code)}`)),
  );
  await Promise.race([enough, ended]);
  ended.catch(() => {});
}
