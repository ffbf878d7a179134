/** A write-ahead log that was left over by another file, or by an older copy of its own, is never laid on the views. */
import { copyFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { type CollectionSpec, ViewsUnavailable, type ViewStore } from '../../../projections/view-store.ts';
import { openSqliteViewStore } from '../../../infra/sqlite/view-store.ts';
import { withConnection } from '../../../infra/sqlite/connections.ts';
import { emptyWal } from '../../../infra/sqlite/wal-keeper.ts';
import { hasOwnWal, walMarker } from '../../../infra/sqlite/wal-origin.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const SPEC: CollectionSpec = { name: 'things', version: 1, fields: {}, orders: { byKey: [] } };
const WAL_HEADER_BYTES = 32;
const WAL_FRAME_BYTES = 24 + 4_096;

/** How far the views have come, with the write-ahead log or by the file alone. */
function checkpointIn(path: string, isAlone?: 'alone'): string | null {
  const copy = `${path}.looked-at`;
  copyFileSync(path, copy);
  if (isAlone === undefined) copyFileSync(`${path}-wal`, `${copy}-wal`);
  const db = new Database(copy);
  try {
    return db.prepare<[], string | null>('SELECT checkpoint FROM generations').pluck().get() ?? null;
  } finally {
    db.close();
  }
}

describe('The write-ahead log of the views', () => {
  let folder: TempFolder;
  let store: ViewStore;
  let path: string;
  let position = 0;
  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('views.db');
    position = 0;
    store = openSqliteViewStore(path);
    await store.open([SPEC]);
    await store.beginLive([SPEC]);
    await write();
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  async function write(to: ViewStore = store): Promise<void> {
    const from = position === 0 ? null : String(position);
    position += 1;
    const document = { fields: {}, words: null, json: `{"is":${position}}` };
    const writes = [{ key: `key ${position}`, position: String(position), document }];
    const [status] = await to.status();
    if (status === undefined) throw new Error('no generation');
    const { view, generation } = status;
    expect(await to.commit([{ view, generation, from, to: String(position), writes }])).to.deep.equal([]);
  }
  /** The files as they lie on the disk now, as after a kill. */
  const copyTo = (name: string, files: readonly string[] = ['', '-wal']): string => {
    const copy = folder.file(name);
    for (const file of files) if (existsSync(path + file)) copyFileSync(path + file, copy + file);
    return copy;
  };
  /** All that was written is there, without being built anew. */
  async function isWhole(copy: string): Promise<void> {
    const copied = openSqliteViewStore(copy);
    expect(await copied.open([SPEC])).to.have.lengthOf(1);
    for (let at = 1; at <= position; at += 1)
      expect(await copied.getJson('things', `key ${at}`)).to.equal(`{"is":${at}}`);
    await copied.close();
  }
  const isRefused = (copy: string): void => {
    const before = statSync(`${copy}-wal`).size;
    for (const _ of [1, 2]) {
      expect(hasOwnWal(copy)).to.equal(false);
      expect(() => openSqliteViewStore(copy)).to.throw(
        ViewsUnavailable,
        /do not belong together.*remove both/,
      );
    }
    expect(statSync(`${copy}-wal`).size, 'its write-ahead log is left alone').to.equal(before);
  };

  it('is laid on its own file, whatever of it was copied back', async () => {
    const steps = [
      () => {},
      () => withConnection(path, (db) => db.pragma('wal_checkpoint(PASSIVE)')),
      () => withConnection(path, emptyWal),
    ];
    for (const [index, step] of [...steps, ...steps].entries()) {
      await write();
      step();
      for (const again of ['before', 'after a commit']) {
        await isWhole(copyTo(`copy ${index} ${again}`));
        await write();
      }
    }
  });

  it('is laid on its own file when a reader keeps it from beginning anew, whatever of it was copied back', async () => {
    for (let round = 0; round < 4; round += 1) {
      const reader = new Database(path, { readonly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM generations').get();
      await write();
      withConnection(path, (db) => db.pragma('wal_checkpoint(PASSIVE)'));
      await isWhole(copyTo(`copy ${round} of a part`));
      await write();
      await isWhole(copyTo(`copy ${round} of more`));
      reader.close();
    }
  });

  it('begins with the mark, so that a part of it is known like the whole', async () => {
    withConnection(path, emptyWal);
    const older = copyTo('older', ['']);
    await write();
    withConnection(path, emptyWal);
    const newer = copyTo('newer', ['']);
    for (let more = 0; more < 3; more += 1) await write();
    const { size } = statSync(`${path}-wal`);
    for (let bytes = WAL_HEADER_BYTES; bytes <= size; bytes += WAL_FRAME_BYTES) {
      for (const main of [older, newer]) {
        copyFileSync(`${path}-wal`, `${main}-wal`);
        truncateSync(`${main}-wal`, bytes);
      }
      expect(hasOwnWal(newer), `of ${bytes} bytes`).to.equal(true);
      if (checkpointIn(newer) !== checkpointIn(newer, 'alone')) isRefused(older);
      else expect(checkpointIn(older), 'nothing of it is read').to.equal(checkpointIn(older, 'alone'));
    }
  });

  it('is marked by the next commit when somebody emptied it while its first one was made', async () => {
    const db = new Database(path);
    const { join, mark, close } = walMarker(db, path);
    const commit = (): void => {
      db.transaction(() => {
        db.exec('UPDATE generations SET moves = moves + 1');
        join();
      }).immediate();
    };
    commit();
    const older = copyTo('older', ['']);
    withConnection(path, emptyWal);
    mark();
    copyFileSync(`${path}-wal`, `${older}-wal`);
    isRefused(older);
    db.close();
    close();
  });

  it('is left as it is by whoever only reads', async () => {
    withConnection(path, emptyWal);
    const db = new Database(path);
    const { join, mark, close } = walMarker(db, path);
    db.transaction(() => {
      db.prepare('SELECT * FROM generations').all();
      join();
    }).immediate();
    mark();
    expect(statSync(`${path}-wal`).size).to.equal(0);
    db.close();
    close();
  });

  it('is not laid on an older copy of its file', async () => {
    const older: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      withConnection(path, emptyWal);
      older.push(copyTo(`${name} main`, ['']));
      await write();
    }
    // The last of them is the file as it was when this write-ahead log began.
    const [first = '', second = '', third = ''] = older;
    for (const main of [first, second]) {
      copyFileSync(`${path}-wal`, `${main}-wal`);
      isRefused(main);
    }
    copyFileSync(`${path}-wal`, `${third}-wal`);
    expect(hasOwnWal(third)).to.equal(true);
  });

  it('is not laid on a copy of its file that was made while a part of the one before was copied back', async () => {
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM generations').get();
    const older: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      await write();
      withConnection(path, (db) => db.pragma('wal_checkpoint(PASSIVE)'));
      older.push(copyTo(`${name} main`, ['']));
      // It may go on to here, and no further.
      reader.exec('COMMIT; BEGIN');
      reader.prepare('SELECT count(*) FROM generations').get();
    }
    await write();
    reader.close();
    withConnection(path, emptyWal);
    await write();
    for (const main of older) {
      copyFileSync(`${path}-wal`, `${main}-wal`);
      isRefused(main);
    }
  });

  it('is not laid on a file of another market, nor another on its own', async () => {
    const otherPath = folder.file('other.db');
    const other = openSqliteViewStore(otherPath);
    await other.open([SPEC]);
    await other.beginLive([SPEC]);
    // Before anything was copied back both are the same empty file, and of either all is in its write-ahead log.
    for (const file of [path, otherPath]) withConnection(file, emptyWal);
    await write();
    await other.skip({ view: 'things', eventId: 'evt', by: 'test', reason: 'A test.', at: '2026' });
    const ours = copyTo('ours');
    const mixed = folder.file('mixed');
    copyFileSync(otherPath, mixed);
    copyFileSync(`${ours}-wal`, `${mixed}-wal`);
    isRefused(mixed);
    rmSync(`${ours}-wal`);
    copyFileSync(`${otherPath}-wal`, `${ours}-wal`);
    isRefused(ours);
    await other.close();
  });

  it('is marked once, by whichever process writes first', async () => {
    const other = openSqliteViewStore(path);
    const number = (): unknown => {
      const db = new Database(path, { readonly: true });
      const found = db.pragma('application_id', { simple: true });
      db.close();
      return found;
    };
    for (let round = 0; round < 5; round += 1) {
      const before = number();
      withConnection(path, emptyWal);
      await write(round % 2 === 0 ? store : other);
      const after = number();
      expect(after).not.to.equal(before);
      await write(other);
      await write(store);
      expect(number()).to.equal(after);
    }
    await other.close();
  });
});
