/** The WAL stays small without anybody's event loop having to copy it back. */
import { existsSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { WAL_LIMIT_BYTES } from '../../../infra/sqlite/log-file.ts';
import { copyWalBack, emptyWal, walKeeper } from '../../../infra/sqlite/wal-keeper.ts';
import { newEvents, newStream } from '../../support/new-event.ts';
import { append } from '../../support/event-log.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

describe('the keeper of the WAL', () => {
  let folder: TempFolder;
  let path: string;
  let db: Database.Database;

  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('views.db');
    db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.pragma('wal_autocheckpoint = 0');
    db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
    db.exec('CREATE TABLE t (x)');
  });

  afterEach(async () => {
    db.close();
    await folder.remove();
  });

  const walSize = () => (existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0);
  const write = (bytes: number) => db.prepare('INSERT INTO t VALUES (zeroblob(?))').run(bytes);

  function keeper(): { done: string[]; trim: () => void; tidy: () => void } {
    const done: string[] = [];
    const { trim, tidy } = walKeeper(path, {
      copyBack() {
        done.push('copied back');
        copyWalBack(db);
      },
      empty() {
        done.push('emptied');
        emptyWal(db);
      },
    });
    return { done, trim, tidy };
  }

  it('leaves a small WAL alone while it is written to', () => {
    const { done, trim, tidy } = keeper();
    for (let i = 0; i < 5; i += 1) {
      write(1_000);
      trim();
      tidy();
    }
    expect(done).to.deep.equal([]);
  });

  it('copies a large one back, after which it starts anew', () => {
    const { done, trim } = keeper();
    for (let i = 0; i < 40; i += 1) {
      write(WAL_LIMIT_BYTES / 8);
      trim();
    }
    expect(done.length).to.be.within(3, 6);
    expect(walSize()).to.be.lessThan(1.5 * WAL_LIMIT_BYTES);
  });

  it('does not try at every write to copy back what a long reader holds', () => {
    const { done, trim } = keeper();
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN; SELECT * FROM t');
    for (let i = 0; i < 40; i += 1) {
      write(WAL_LIMIT_BYTES / 8);
      trim();
    }
    reader.close();
    expect(done.length).to.be.within(3, 6);
  });

  it('empties one that nobody has written to for a while', () => {
    const { done, tidy } = keeper();
    write(1_000);
    tidy();
    expect(done).to.deep.equal([]);
    tidy();
    expect(done).to.deep.equal(['emptied']);
    expect(walSize()).to.equal(0);
    tidy();
    tidy();
    expect(done).to.deep.equal(['emptied']);
  });

  it('is set on the log and on the files it is told of', async () => {
    const log = await openSqliteLog({ path: folder.file('log.db'), maintain: [path] });
    write(1_000);
    await append(log.store, newStream(), NO_STREAM, newEvents(3));

    await until('both are empty', () => walSize() === 0 && log.stats().walBytes === 0);
    expect(log.stats().checkpointFailures).to.equal(0);
    await log.close();
  });

  it('does not let the WAL of a log that never rests grow with all that is written', async () => {
    const log = await openSqliteLog({ path: folder.file('log.db') });
    const text = 'x'.repeat(60_000);
    const [rounds, together] = [60, 50];
    let largest = 0;
    for (let i = 0; i < rounds; i += 1) {
      const appends = Array.from({ length: together }, () =>
        append(log.store, newStream(), NO_STREAM, newEvents(1, { data: { text } })),
      );
      await Promise.all(appends);
      largest = Math.max(largest, log.stats().walBytes);
    }
    expect(largest).to.be.within(WAL_LIMIT_BYTES, (rounds * together * text.length) / 2);
    expect(log.stats().checkpointFailures).to.equal(0);
    await log.close();
  });

  it('counts what it could not copy, and goes on', async () => {
    const log = await openSqliteLog({ path: folder.file('log.db'), maintain: [path] });
    await append(log.store, newStream(), NO_STREAM, newEvents(1));
    for (let i = 0; i < 10; i += 1) write(WAL_LIMIT_BYTES / 8);
    db.exec('BEGIN; SELECT * FROM t');
    rmSync(path);
    await until('it has failed', () => log.stats().checkpointFailures > 0);
    expect(await append(log.store, newStream(), NO_STREAM, newEvents(1))).to.include({ ok: true });
    await log.close();
  });

  it('bears with a file that is not there yet', async () => {
    const log = await openSqliteLog({ path: folder.file('log.db'), maintain: [folder.file('later.db')] });
    await append(log.store, newStream(), NO_STREAM, newEvents(1));
    await until('the log is tidied', () => log.stats().walBytes === 0);

    expect(log.stats().checkpointFailures).to.equal(0);
    await log.close();
  });
});
