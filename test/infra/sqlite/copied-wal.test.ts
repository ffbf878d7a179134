/**
 * A write-ahead log that lost pages which were copied into its file, or were being copied as its process was killed, is
 * known by the `-shm` that the kill left.
 */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { lacksCopiedPages } from '../../../infra/sqlite/copied-wal.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { UnusableLogFile } from '../../../infra/sqlite/log-schema.ts';
import { isOpenElsewhere } from '../../../infra/sqlite/open-elsewhere.ts';
import { openQueueFile } from '../../../infra/sqlite/queue-file.ts';
import { newEvent } from '../../support/new-event.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const PAGE_BYTES = 4_096;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
/** Where the -shm has how many frames were to be copied, and how many were. */
const BEGUN_AT = 128;
const COPIED_AT = 96;
const FILES = ['', '-wal', '-shm'];

const framesOf = (wal: Buffer): number => Math.floor((wal.length - WAL_HEADER_BYTES) / FRAME_BYTES);

/** Pages in the order in which SQLite copies them, each as the last frame has it. */
function pagesIn(wal: Buffer): readonly (readonly [page: number, bytes: Buffer])[] {
  const pages = new Map<number, Buffer>();
  for (let frame = 0; frame < framesOf(wal); frame += 1) {
    const at = WAL_HEADER_BYTES + frame * FRAME_BYTES;
    pages.set(wal.readUInt32BE(at), wal.subarray(at + FRAME_HEADER_BYTES, at + FRAME_BYTES));
  }
  return [...pages].toSorted(([a], [b]) => a - b);
}

describe('A write-ahead log of which pages were copied', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  let made = 0;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  /** The files as they lie on the disk now, as after a kill. */
  function copyTo(path: string): string {
    made += 1;
    const copy = folder.file(`copy-${made}`);
    for (const suffix of FILES) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
    return copy;
  }
  /** A queue with tasks; the first half of them lies in the file alone. */
  function queue(tasks: number): { readonly db: Database.Database; readonly path: string } {
    const path = folder.file('queue.db');
    let db = openQueueFile(path);
    const add = (): void => {
      db.prepare(`INSERT INTO tasks VALUES (hex(randomblob(8)), 'kind', ?, 0, 0, 0, 0, NULL)`).run(
        'x'.repeat(900),
      );
    };
    for (let task = 0; task < tasks; task += 1) add();
    db.close();
    db = openQueueFile(path);
    for (let task = 0; task < tasks; task += 1) add();
    return { db, path };
  }
  /** As after a kill while the first so many pages had been copied. */
  function halfCopied(path: string, pages: number): string {
    const copy = copyTo(path);
    const wal = readFileSync(`${copy}-wal`);
    const main = readFileSync(copy);
    const copied = pagesIn(wal).slice(0, pages);
    const bytes = Buffer.alloc(Math.max(main.length, ...copied.map(([page]) => page * PAGE_BYTES)));
    main.copy(bytes);
    for (const [page, found] of copied) found.copy(bytes, (page - 1) * PAGE_BYTES);
    writeFileSync(copy, bytes);
    const shm = readFileSync(`${copy}-shm`);
    shm.writeUInt32LE(framesOf(wal), BEGUN_AT);
    shm.writeUInt32LE(0, COPIED_AT);
    writeFileSync(`${copy}-shm`, shm);
    return copy;
  }
  function isRefused(path: string, what: string): void {
    for (const _ of [1, 2]) expect(() => openQueueFile(path), what).to.throw(/do not belong together/);
  }
  const tasksIn = (path: string): number => {
    const db = openQueueFile(path);
    const found = Number(db.prepare('SELECT count(*) FROM tasks').pluck().get());
    db.close();
    return found;
  };

  it('is laid on its file as long as it has them all', () => {
    const { db, path } = queue(20);
    expect(tasksIn(copyTo(path))).to.equal(40);
    const pages = pagesIn(readFileSync(`${path}-wal`)).length;
    for (let copied = 0; copied <= pages; copied += 1)
      expect(tasksIn(halfCopied(path, copied)), `${copied} copied`).to.equal(40);
    db.pragma('wal_checkpoint(PASSIVE)');
    expect(tasksIn(copyTo(path))).to.equal(40);
    db.close();
  });

  it('is refused where its end was lost after it was copied, as far as it is lost', () => {
    const { db, path } = queue(5);
    db.pragma('wal_checkpoint(PASSIVE)');
    const frames = framesOf(readFileSync(`${path}-wal`));
    for (let left = 1; left < frames; left += 1) {
      const copy = copyTo(path);
      truncateSync(`${copy}-wal`, WAL_HEADER_BYTES + left * FRAME_BYTES);
      isRefused(copy, `${left} of ${frames} frames`);
    }
    const damaged = copyTo(path);
    const wal = readFileSync(`${damaged}-wal`);
    wal.writeUInt8(wal.readUInt8(wal.length - 1) ^ 1, wal.length - 1);
    writeFileSync(`${damaged}-wal`, wal);
    isRefused(damaged, 'a changed byte');
    // All of it lies in the file.
    const without = copyTo(path);
    rmSync(`${without}-wal`);
    expect(tasksIn(without)).to.equal(10);
    db.close();
  });

  it('may lose what came after all was copied: that is an earlier moment', () => {
    const { db, path } = queue(5);
    db.pragma('wal_checkpoint(PASSIVE)');
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM tasks').get();
    const { length } = readFileSync(`${path}-wal`);
    db.exec(`INSERT INTO claims VALUES (1)`);
    const copy = copyTo(path);
    truncateSync(`${copy}-wal`, length);
    expect(tasksIn(copy)).to.equal(10);
    reader.close();
    db.close();
  });

  it('is missed where it was removed from under a file that was half copied', () => {
    const { db, path } = queue(5);
    const pages = pagesIn(readFileSync(`${path}-wal`)).length;
    for (let copied = 0; copied <= pages; copied += 1) {
      for (const lose of [
        (wal: string) => rmSync(wal),
        (wal: string) => truncateSync(wal),
        (wal: string) => writeFileSync(wal, 'x', { flag: 'r+' }),
      ]) {
        const copy = halfCopied(path, copied);
        lose(`${copy}-wal`);
        isRefused(copy, `${copied} copied`);
      }
    }
    db.close();
  });

  it('is missed of the log too, whose file alone lacks ends of streams', async () => {
    const path = folder.file('bourse.db');
    let log = await openSqliteLog({ path });
    const append = () => log.store.append(`stream-${made++}`, NO_STREAM, [newEvent()]);
    for (let event = 0; event < 12; event += 1) await append();
    await log.close();
    log = await openSqliteLog({ path });
    await append();
    const kept = copyTo(path);
    await log.close();
    const pages = pagesIn(readFileSync(`${kept}-wal`)).length;
    for (let copied = 0; copied <= pages; copied += 1) {
      const copy = halfCopied(kept, copied);
      rmSync(`${copy}-wal`);
      for (const isLeftAlone of [true, false])
        expect(await rejectionOf(openSqliteLog({ path: copy, isLeftAlone }))).to.be.instanceOf(
          UnusableLogFile,
        );
    }
  });

  it('is not missed once whoever looked whether the log is open elsewhere has copied all of it', async () => {
    const path = folder.file('bourse.db');
    const log = await openSqliteLog({ path });
    await log.store.append('stream', NO_STREAM, [newEvent()]);
    const copy = copyTo(path);
    await log.close();
    expect(isOpenElsewhere(copy)).to.equal(false);
    const opened = await openSqliteLog({ path: copy });
    expect(await opened.store.head()).to.equal('0000000000000001');
    await opened.close();
  });

  it('is not doubted because of a -shm that is damaged, of another write-ahead log, or of before the machine started', () => {
    const { db, path } = queue(5);
    db.pragma('wal_checkpoint(PASSIVE)');
    const copied = copyTo(path);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.exec(`INSERT INTO claims VALUES (1)`);
    const later = copyTo(path);
    copyFileSync(`${copied}-shm`, `${later}-shm`);
    expect(lacksCopiedPages(later)).to.equal(false);
    truncateSync(`${copied}-wal`, WAL_HEADER_BYTES + FRAME_BYTES);
    expect(lacksCopiedPages(copied)).to.equal(true);
    const shm = readFileSync(`${copied}-shm`);
    for (let at = 0; at < 48; at += 1) {
      const damaged = Buffer.from(shm);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0xa5, at);
      writeFileSync(`${copied}-shm`, damaged);
      expect(lacksCopiedPages(copied), `byte ${at}`).to.equal(false);
    }
    writeFileSync(`${copied}-shm`, shm);
    const before = performance.timeOrigin / 1_000 - uptime() - 1;
    utimesSync(`${copied}-shm`, before, before);
    expect(lacksCopiedPages(copied)).to.equal(false);
    db.close();
  });
});
