/** A group is written whole or not at all, also when the disk fails under it. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM, StoreUnavailable } from '../../../events/event-store.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { CommitUncertain, groupCommitter } from '../../../infra/sqlite/log-committer.ts';
import { openLogForReading, openLogForWriting } from '../../../infra/sqlite/log-file.ts';
import type { WriteRequest } from '../../../infra/sqlite/log-messages.ts';
import { append, readAll } from '../../support/event-log.ts';
import { newEvent, newStream } from '../../support/new-event.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

describe('the committer of the SQLite log', () => {
  let folder: TempFolder;
  let db: Database.Database;

  beforeEach(async () => {
    folder = await tempFolder();
    (await openLogForReading(folder.file('log.db'))).close();
    db = openLogForWriting(folder.file('log.db'));
  });

  afterEach(async () => {
    db.close();
    await folder.remove();
  });

  const request = (chars = 10): WriteRequest => {
    const { id, type, version, at } = newEvent();
    const row = [id, type, version, at, `"${'x'.repeat(chars)}"`, '{}'] as const;
    return ['append', [newStream(), NO_STREAM, [row]], []];
  };
  const events = () => db.prepare('SELECT count(*) FROM events').pluck().get();

  it('writes nothing of a group that the disk has no room for, and the next one when there is', () => {
    const commit = groupCommitter(db);
    commit([request()]);
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.pragma(`max_page_count = ${pages + 2}`);

    expect(() => commit([request(), request(50_000), request()])).to.throw(/full/);
    expect(events()).to.equal(1);
    expect(db.inTransaction).to.equal(false);

    db.pragma(`max_page_count = ${pages + 100}`);
    commit([request(50_000)]);
    expect(events()).to.equal(2);
  });

  it('does not claim to know what became of a group whose sync failed', () => {
    let isBroken = true;
    const failing = new Proxy(db, {
      get(target, name) {
        if (name === 'prepare') {
          return (sql: string) => {
            const statement = target.prepare(sql);
            if (sql !== 'COMMIT') return statement;
            return {
              run: () => {
                if (isBroken) throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
                return statement.run();
              },
            };
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const commit = groupCommitter(failing);

    expect(() => commit([request()])).to.throw(CommitUncertain, /its disk fails or takes no more/);
    expect(events()).to.equal(0);
    isBroken = false;
    expect(commit([request()])[0]?.[0]).to.equal('appended');
  });

  describe('on a disk that is full', () => {
    let disk: TempFolder | undefined;

    beforeEach(async function () {
      const mountPoint = await tempFolder();
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mountPoint.path], {
          stdio: 'ignore',
        });
        disk = mountPoint;
      } catch {
        await mountPoint.remove();
        this.skip();
      }
    });

    afterEach(async () => {
      if (disk === undefined) return;
      execFileSync('umount', ['-l', disk.path]);
      await disk.remove();
      disk = undefined;
    });

    it('refuses appends, goes on reading, and appends again when there is room', async () => {
      const { store } = await openSqliteLog({ path: disk?.file('log.db') ?? '' });
      const stream = newStream();
      await append(store, stream, NO_STREAM, [newEvent()]);
      const ballast = disk?.file('ballast') ?? '';
      writeUntilFull(ballast);
      const large = newEvent({ data: { text: 'x'.repeat(100_000) } });

      expect(await rejectionOf(store.append(stream, 0, [large]))).to.be.instanceOf(StoreUnavailable);
      expect(await readAll(store, stream)).to.have.length(1);
      rmSync(ballast);
      expect(await store.append(stream, 0, [large])).to.include({ ok: true, revision: 1 });
      expect(await readAll(store, stream)).to.have.length(2);
      await store.close();
    });
  });
});

function writeUntilFull(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(2 * 1024 * 1024));
  } catch {
    // As intended.
  }
}
