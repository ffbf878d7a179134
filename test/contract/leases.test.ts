import { mkdir } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { createMemoryLeases } from '../../infra/memory/leases.ts';
import { openSqliteQueue } from '../../infra/sqlite/queue.ts';
import { LeasesUnavailable } from '../../src/ports/leases.ts';
import { withRedis } from '../support/redis-server.ts';
import { openSharedRedis } from '../support/shared-redis.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { leasesContract } from './leases.contract.ts';

leasesContract('memory', async () => {
  const leases = createMemoryLeases();
  return { mine: leases, theirs: leases, close: async () => {} };
});

leasesContract('SQLite', async () => {
  const folder = await tempFolder();
  const [mine, theirs] = [1, 2].map(() => openSqliteQueue(folder.file('queue.db')));
  return {
    mine: mine!.leases,
    theirs: theirs!.leases,
    close: async () => {
      await Promise.all([mine!.close(), theirs!.close()]);
      await folder.remove();
    },
  };
});

withRedis('Leases: Redis', () =>
  leasesContract('Redis', async () => {
    const { engine, another, close } = await openSharedRedis();
    return { mine: engine.leases, theirs: another.leases, close };
  }),
);

describe('The leases of SQLite', () => {
  it('say that they are away, and come back', async () => {
    const folder = await tempFolder();
    const { leases, close } = openSqliteQueue(folder.file('not-made/queue.db'));
    const error = await leases.take('a', 'me', 1_000).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(LeasesUnavailable);
    await mkdir(folder.file('not-made'));
    expect(await leases.take('a', 'me', 1_000)).to.equal(true);
    await close();
    await folder.remove();
  });

  it('are added to a file that was made before there were any, whose tasks stay', async () => {
    const folder = await tempFolder();
    const path = folder.file('queue.db');
    const old = openSqliteQueue(path);
    await old.queue.add([{ id: 'a', name: 'k', payload: '', dueAtMs: 0 }]);
    await old.close();
    const file = new Database(path);
    file.exec('DROP TABLE leases; DROP TABLE log_mark; PRAGMA user_version = 1;');
    file.close();

    const now = openSqliteQueue(path);
    expect(await now.leases.take('a', 'me', 1_000)).to.equal(true);
    expect(await now.queue.claim('k', 1, 1)).to.have.lengthOf(1);
    await now.close();
    await folder.remove();
  });

  it('let somebody else in after the clock was set back, whatever it said when they were taken', async () => {
    const folder = await tempFolder();
    const path = folder.file('queue.db');
    const { leases, close } = openSqliteQueue(path);
    await leases.take('a', 'dead', 1_000);
    const file = new Database(path);
    file.prepare('UPDATE leases SET ends_at = ends_at + 3600000').run();
    file.close();
    expect(await leases.take('a', 'me', 1_000)).to.equal(true);
    await close();
    await folder.remove();
  });
});
