/** A write-ahead log that was left over by another log, or by a newer copy of its own, is never laid on a log. */
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../../infra/sqlite/event-store.ts';
import { UnusableLogFile } from '../../../infra/sqlite/log-schema.ts';
import { hasLogItsOwnWal } from '../../../infra/sqlite/log-wal-origin.ts';
import { isOpenElsewhere } from '../../../infra/sqlite/open-elsewhere.ts';
import { withConnection } from '../../../infra/sqlite/connections.ts';
import { emptyWal } from '../../../infra/sqlite/wal-keeper.ts';
import { newEvent } from '../../support/new-event.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

/** So long that an append changes pages of its own. */
const TEXT = 'x'.repeat(3_000);
const WAL_HEADER_BYTES = 32;
const WAL_FRAME_BYTES = 24 + 4_096;

/** Other ones in each write-ahead log; empty where it is. */
function saltsOf(path: string): string {
  return readFileSync(`${path}-wal`).toString('latin1', 16, 24);
}

/** Where the log ends, with the write-ahead log or by the file alone. */
function endIn(path: string, isAlone?: 'alone'): number {
  const copy = `${path}.looked-at`;
  for (const suffix of ['-wal', '-shm']) rmSync(copy + suffix, { force: true });
  copyFileSync(path, copy);
  if (isAlone === undefined) copyFileSync(`${path}-wal`, `${copy}-wal`);
  return withConnection(copy, (db) => Number(db.prepare('SELECT max(position) FROM events').pluck().get()));
}

describe('The write-ahead log of the log', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  let log: SqliteLog;
  let path: string;
  let appended = 0;
  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('bourse.db');
    appended = 0;
    log = await openSqliteLog({ path });
    await append();
  });
  afterEach(async () => {
    await log.close();
    await folder.remove();
  });

  async function append(to: SqliteLog = log): Promise<void> {
    const event = newEvent({ data: { text: TEXT } });
    const { ok } = await to.store.append(`stream-${appended}`, NO_STREAM, [event]);
    expect(ok).to.equal(true);
    appended += 1;
  }
  const noted = (): number | undefined =>
    withConnection(path, (db) => db.prepare<[], number>('SELECT reached FROM wal_origin').pluck().get());
  /** The files as they lie on the disk now, as after a kill. */
  const copyTo = (name: string, files: readonly string[] = ['', '-wal']): string => {
    const copy = folder.file(name);
    for (const file of files) if (existsSync(path + file)) copyFileSync(path + file, copy + file);
    return copy;
  };
  const empty = (): void => withConnection(path, emptyWal);

  /** All that was appended is there, and holds in itself; and more can be appended. */
  async function isWhole(copy: string): Promise<void> {
    const opened = await openSqliteLog({ path: copy });
    const expected = appended;
    try {
      let events = 0;
      for (let stream = 0; stream < expected; stream += 1)
        for await (const _ of opened.store.read(`stream-${stream}`)) events += 1;
      expect(events, copy).to.equal(expected);
      for await (const { findings } of opened.inspect()) expect(findings, copy).to.deep.equal([]);
      await append(opened);
    } finally {
      appended = expected;
      await opened.close();
    }
  }
  async function isRefused(copy: string): Promise<void> {
    const before = statSync(`${copy}-wal`).size;
    for (const isLeftAlone of [true, false]) {
      expect(isOpenElsewhere(copy)).to.equal(false);
      const refusal = await rejectionOf(openSqliteLog({ path: copy, isLeftAlone }));
      expect(refusal).to.be.instanceOf(UnusableLogFile);
      expect(String(refusal)).to.match(/do not belong together.*move the -wal/);
    }
    expect(statSync(`${copy}-wal`).size, 'its write-ahead log is left alone').to.equal(before);
  }

  it('is laid on its own file, whatever of it was copied back and whoever was killed when', async () => {
    const steps = [
      () => {},
      () => withConnection(path, (db) => db.pragma('wal_checkpoint(PASSIVE)')),
      empty,
      () => withConnection(path, (db) => db.exec('VACUUM')),
      () => withConnection(path, (db) => db.exec('CREATE TABLE other (x); DROP TABLE other')),
    ];
    for (const [index, step] of [...steps, empty].entries()) {
      await append();
      await isWhole(copyTo(`copy ${index} before`));
      step();
      await isWhole(copyTo(`copy ${index} after`));
      await append();
      await isWhole(copyTo(`copy ${index} after a commit`));
    }
  });

  it('is not laid on an older copy of its file', async () => {
    const older: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      empty();
      older.push(copyTo(`${name} main`, ['']));
      await append();
      // What an operator copies while it is written, and only some of this write-ahead log has come to the file.
      withConnection(path, (db) => db.pragma('wal_checkpoint(PASSIVE)'));
      older.push(copyTo(`${name} main, written meanwhile`, ['']));
      await append();
    }
    empty();
    await append();
    for (const main of older) {
      copyFileSync(`${path}-wal`, `${main}-wal`);
      await isRefused(main);
    }
    const now = copyTo('now');
    await isWhole(now);
  });

  it('begins with the note, so that a part of one is known like the whole', async () => {
    empty();
    const older = copyTo('older', ['']);
    // One that a kept checkpoint begins tells as much as one that an append does.
    for (const begin of [append, () => log.checkpoints.set('reaction', '0')]) {
      let newer: string;
      let whole: string;
      let salts: string;
      do {
        await append();
        empty();
        newer = copyTo('newer', ['']);
        await begin();
        salts = saltsOf(path);
        for (let more = 0; more < 3; more += 1) await append();
        whole = copyTo('whole', ['-wal']);
        // The writer empties it when nobody has written for a while.
      } while (salts === '' || saltsOf(whole) !== salts);
      const { size } = statSync(`${whole}-wal`);
      for (let bytes = WAL_HEADER_BYTES; bytes <= size; bytes += WAL_FRAME_BYTES) {
        for (const main of [older, newer]) {
          copyFileSync(`${whole}-wal`, `${main}-wal`);
          truncateSync(`${main}-wal`, bytes);
        }
        expect(hasLogItsOwnWal(newer), `of ${bytes} bytes`).to.equal(true);
        const isRead = !hasLogItsOwnWal(older);
        if (isRead) await isRefused(older);
        else expect(endIn(older), `of ${bytes} bytes`).to.equal(endIn(older, 'alone'));
      }
    }
  });

  it('is not laid on a newer copy of its file', async () => {
    await append();
    const older = copyTo('older', ['-wal']);
    empty();
    await append();
    empty();
    copyFileSync(path, older);
    await isRefused(older);
  });

  it('is not laid on a file of another market', async () => {
    const otherPath = folder.file('other.db');
    const other = await openSqliteLog({ path: otherPath });
    for (let made = 0; made < 5; made += 1)
      await other.store.append(`other-${made}`, NO_STREAM, [newEvent()]);
    empty();
    await append();
    withConnection(otherPath, emptyWal);
    const mixed = copyTo('mixed', ['-wal']);
    copyFileSync(otherPath, mixed);
    await isRefused(mixed);
    await other.close();
  });

  it('is its own also once the log was given another identity', async () => {
    await log.store.marks?.adopt('another');
    await isWhole(copyTo('renamed'));
    empty();
    await append();
    await isWhole(copyTo('renamed and appended to'));
  });

  it('is noted once, and in a log of a program that did not', async () => {
    await log.close();
    withConnection(path, (db) => db.exec('DROP TABLE wal_origin'));
    log = await openSqliteLog({ path });
    expect(noted()).to.equal(undefined);
    await append();
    const first = noted();
    expect(first).not.to.equal(undefined);
    await append();
    expect(noted()).to.deep.equal(first);
    empty();
    await append();
    expect(noted()).not.to.deep.equal(first);
    // As long as nothing is noted nothing is refused.
    withConnection(path, (db) => db.exec('DELETE FROM wal_origin'));
    expect(hasLogItsOwnWal(copyTo('not noted'))).to.equal(true);
  });

  it('is not asked for where there is none', async () => {
    await log.close();
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    const db = new Database(path, { readonly: true });
    db.close();
    log = await openSqliteLog({ path });
    await append();
  });
});
