/** A WAL is copied back beside its writer, and begun anew although the writer goes on meanwhile. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { walCopier } from '../../../infra/sqlite/wal-copier.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

/** Long enough to be copied that a write falls into the copying, and short beside the pauses of the writer. */
const WAL_BYTES = 64 * 1024 * 1024;
const BETWEEN_WRITES_MS = 100;
/** Where the header of a WAL counts how often it was begun. */
const SEQUENCE_AT = 12;

describe('the copier of WALs', () => {
  let folder: TempFolder;
  let path: string;
  let db: Database.Database;
  const copied = new EventTarget();
  const copier = walCopier(() => copied.dispatchEvent(new Event('copied')));

  before(async () => {
    folder = await tempFolder();
    path = folder.file('views.db');
    db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.pragma('wal_autocheckpoint = 0');
    db.exec('CREATE TABLE t (x)');
  });

  after(async () => {
    await copier.end();
    db.close();
    await folder.remove();
  });

  const write = (bytes: number) => db.prepare('INSERT INTO t VALUES (zeroblob(?))').run(bytes);
  const timesBegun = () => readFileSync(`${path}-wal`).readUInt32BE(SEQUENCE_AT);

  async function copyBack(): Promise<void> {
    const done = once(copied, 'copied');
    copier.copy({ path, maxPasses: 10 });
    await done;
  }

  it('goes on until it has also copied what was written while it copied', async () => {
    // Its thread has started by then.
    await copyBack();
    write(WAL_BYTES);
    const before = timesBegun();

    const copying = copyBack().then(() => 'copied' as const);
    await pause(5);
    do write(1_000);
    while ((await Promise.race([copying, pause(BETWEEN_WRITES_MS)])) !== 'copied');

    write(1_000);
    expect(timesBegun()).to.equal(before + 1);
  });

  it('has not ended before all that it was asked for is copied, whoever asks it to end', async () => {
    let times = 0;
    const other = walCopier(() => void (times += 1));
    for (const order of [
      { path, maxPasses: 1 },
      { path, maxPasses: 1 },
    ])
      other.copy(order);
    void other.end();
    await other.end();
    expect(times).to.equal(2);
  });
});
