/** What the file of the embedded log guarantees, and what is said of a file that cannot be one. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM, StoreUnavailable } from '../../../events/event-store.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { openLogForWriting } from '../../../infra/sqlite/log-file.ts';
import { UnusableLogFile } from '../../../infra/sqlite/log-schema.ts';
import { append, readAll } from '../../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../../support/new-event.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

describe('the file of the SQLite log', () => {
  let folder: TempFolder;
  let path: string;

  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('log.db');
  });

  afterEach(() => folder.remove());

  async function logWith(events: number): Promise<string> {
    const log = await openSqliteLog({ path });
    const stream = newStream();
    await append(log.store, stream, NO_STREAM, newEvents(events));
    await log.close();
    return stream;
  }

  const refusal = async (): Promise<string> => {
    const error = await rejectionOf(openSqliteLog({ path }));
    expect(error).to.be.instanceOf(UnusableLogFile);
    return String(error);
  };

  it('is synced at every commit by its writer, so that an answered append outlives a power cut', async () => {
    await logWith(1);
    const db = openLogForWriting(path);

    expect(db.pragma('journal_mode', { simple: true })).to.equal('wal');
    expect(db.pragma('synchronous', { simple: true })).to.equal(2);
    db.close();
  });

  it('refuses that an event be changed or deleted, by whatever program', async () => {
    const stream = await logWith(2);
    const db = new Database(path);
    const attempts = [
      `UPDATE events SET data = '{}' WHERE position = 1`,
      'DELETE FROM events WHERE position = 2',
      'DELETE FROM events',
    ];
    for (const sql of attempts) expect(() => db.exec(sql), sql).to.throw(/events are never/);
    db.close();

    const { store } = await openSqliteLog({ path });
    expect(await readAll(store, stream)).to.have.length(2);
    await store.close();
  });

  it('holds everything in itself once the log is closed, ready to be copied', async () => {
    const stream = await logWith(2);
    copyFileSync(path, folder.file('copy.db'));
    path = folder.file('copy.db');

    const { store } = await openSqliteLog({ path });
    expect(await readAll(store, stream)).to.have.length(2);
    await store.close();
  });

  it('is as safe as before when a backup was put in its place', async () => {
    await logWith(1);
    const db = new Database(path);
    db.exec(`VACUUM INTO '${folder.file('backup.db')}'`).close();
    path = folder.file('backup.db');
    await (await openSqliteLog({ path })).close();

    const writer = openLogForWriting(path);
    expect(writer.pragma('journal_mode', { simple: true })).to.equal('wal');
    writer.close();
  });

  it('is made once when several open it at the same moment', async () => {
    const logs = await Promise.all([1, 2, 3, 4].map(() => openSqliteLog({ path })));
    const stream = newStream();
    await append(logs[0]!.store, stream, NO_STREAM, newEvents(1));

    for (const { store } of logs) expect(await readAll(store, stream)).to.have.length(1);
    await Promise.all(logs.map((log) => log.close()));
  });

  it('is made in a database that somebody created and left empty', async () => {
    new Database(path).exec('VACUUM').close();
    writeFileSync(folder.file('zero.db'), '');
    for (const file of [path, folder.file('zero.db')]) {
      const { store } = await openSqliteLog({ path: file });
      await append(store, newStream(), NO_STREAM, newEvents(1));
      await store.close();
    }
  });

  it('says that its folder does not exist', async () => {
    path = folder.file('nowhere/log.db');
    expect(await refusal()).to.match(/the folder .*nowhere of the log does not exist/);
  });

  it('says that the path is a folder', async () => {
    mkdirSync(path);
    expect(await refusal()).to.match(/log\.db cannot be opened/);
  });

  it('says that a file is no database, and leaves it alone', async () => {
    writeFileSync(path, 'once upon a time '.repeat(1_000));
    expect(await refusal()).to.match(/log\.db is not a database/);
    expect(statSync(path).size).to.equal(17_000);
  });

  it('says that a database is of another program, and leaves it alone', async () => {
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE recipes (name TEXT)');
    foreign.close();
    expect(await refusal()).to.match(/a database of another program/);

    const db = new Database(path);
    expect(db.pragma('journal_mode', { simple: true })).to.equal('delete');
    expect(db.prepare('SELECT name FROM sqlite_schema').pluck().all()).to.deep.equal(['recipes']);
    db.close();
  });

  it('says that the log was written by a newer program', async () => {
    await logWith(1);
    const newer = new Database(path);
    newer.pragma('user_version = 2');
    newer.close();
    expect(await refusal()).to.match(/a log of version 2; this program knows 1/);
  });

  describe('on a file system that is read-only', () => {
    let isMounted = false;

    /** Root may mount; others skip these tests, which is reported. */
    function makeReadOnly(context: Mocha.Context): void {
      try {
        execFileSync('mount', ['--bind', folder.path, folder.path], { stdio: 'ignore' });
        isMounted = true;
        execFileSync('mount', ['-o', 'remount,ro,bind', folder.path], { stdio: 'ignore' });
      } catch {
        context.skip();
      }
    }

    afterEach(() => {
      if (isMounted) execFileSync('umount', ['-l', folder.path]);
      isMounted = false;
    });

    it('reads, and refuses to append', async function () {
      const stream = await logWith(3);
      makeReadOnly(this);
      const log = await openSqliteLog({ path });

      expect(await readAll(log.store, stream)).to.have.length(3);
      expect(await rejectionOf(log.store.append(stream, 2, [newEvent()]))).to.be.instanceOf(StoreUnavailable);
      expect(await rejectionOf(log.checkpoints.set('reactor', '1'))).to.be.instanceOf(StoreUnavailable);
      expect(await log.checkpoints.get('reactor')).to.equal(null);
      expect(await readAll(log.store, stream)).to.have.length(3);
      await log.close();
    });

    it('reads what a process that was killed left behind in the WAL', async function () {
      const log = await openSqliteLog({ path });
      const stream = newStream();
      await append(log.store, stream, NO_STREAM, newEvents(2));
      for (const suffix of ['', '-wal', '-shm']) copyFileSync(path + suffix, folder.file('copy.db') + suffix);
      await log.close();
      makeReadOnly(this);

      const copy = await openSqliteLog({ path: folder.file('copy.db') });
      expect(await readAll(copy.store, stream)).to.have.length(2);
      await copy.close();
    });

    it('refuses to read a log that may have been separated from its newest events', async function () {
      await logWith(1);
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix);
      makeReadOnly(this);
      expect(await refusal()).to.match(/log\.db is read-only and lacks its -wal or -shm/);
    });

    it('says that there is no log', async function () {
      makeReadOnly(this);
      expect(await refusal()).to.match(/there is no log at .*, and .* is read-only/);
    });
  });
});
