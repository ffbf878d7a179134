/** The WAL stays small without anybody's event loop having to copy it back. */
import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { WAL_LIMIT_BYTES } from '../../../infra/sqlite/log-file.ts';
import { walKeeper } from '../../../infra/sqlite/wal-keeper.ts';
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

  function keeper(): { modes: string[]; trim: () => void; tidy: () => void } {
    const modes: string[] = [];
    const { trim, tidy } = walKeeper(path, (mode) => {
      modes.push(mode);
      db.pragma(`wal_checkpoint(${mode})`);
    });
    return { modes, trim, tidy };
  }

  it('leaves a small WAL alone while it is written to', () => {
    const { modes, trim, tidy } = keeper();
    for (let i = 0; i < 5; i += 1) {
      write(1_000);
      trim();
      tidy();
    }
    expect(modes).to.deep.equal([]);
  });

  it('copies a large one back, after which it starts anew', () => {
    const { modes, trim } = keeper();
    for (let i = 0; i < 40; i += 1) {
      write(WAL_LIMIT_BYTES / 8);
      trim();
    }
    expect(modes.length).to.be.within(3, 6);
    expect(walSize()).to.be.lessThan(1.5 * WAL_LIMIT_BYTES);
  });

  it('does not try at every write to copy back what a long reader holds', () => {
    const { modes, trim } = keeper();
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN; SELECT * FROM t');
    for (let i = 0; i < 40; i += 1) {
      write(WAL_LIMIT_BYTES / 8);
      trim();
    }
    reader.close();
    expect(modes.length).to.be.within(3, 6);
  });

  it('empties one that nobody has written to for a while', () => {
    const { modes, tidy } = keeper();
    write(1_000);
    tidy();
    expect(modes).to.deep.equal([]);
    tidy();
    expect(modes).to.deep.equal(['TRUNCATE']);
    expect(walSize()).to.equal(0);
    tidy();
    tidy();
    expect(modes).to.deep.equal(['TRUNCATE']);
  });

  it('is set on the log and on the files it is told of', async () => {
    const log = await openSqliteLog({ path: folder.file('log.db'), maintain: [path] });
    write(1_000);
    await append(log.store, newStream(), NO_STREAM, newEvents(3));

    await until('both are empty', () => walSize() === 0 && log.stats().walBytes === 0);
    expect(log.stats().checkpointFailures).to.equal(0);
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
