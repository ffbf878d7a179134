import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { lastPositionIn } from '../../../infra/sqlite/last-position-page.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const POSITIONS = [0, 1, 2, 127, 128, 40_000, 2 ** 23, 2 ** 31, 2 ** 40, 2 ** 50];

describe('The page that SQLite keeps last positions in', () => {
  let folder: TempFolder;
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(() => folder.remove());

  it('tells them as SQLite does, however large', () => {
    const path = folder.file('some.db');
    const db = new Database(path);
    db.exec('CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO other VALUES (7);');
    db.exec('CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO events VALUES (1);');
    const root = db.prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'`);
    const page = root.pluck().get() ?? 0;
    const bytes = Number(db.pragma('page_size', { simple: true }));
    for (const position of POSITIONS) {
      db.prepare(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'`).run(BigInt(position));
      const onDisk = readFileSync(path).subarray((page - 1) * bytes, page * bytes);
      expect(lastPositionIn(onDisk, 'events')).to.equal(position);
      expect(lastPositionIn(onDisk, 'other')).to.equal(7);
      expect(lastPositionIn(onDisk, 'none')).to.equal(null);
    }
    db.close();
  });

  it('tells nothing of another page, or of one that was damaged', () => {
    expect(lastPositionIn(Buffer.alloc(4_096), 'events')).to.equal(null);
    expect(lastPositionIn(Buffer.alloc(4_096, 0xff), 'events')).to.equal(null);
    const leaf = Buffer.alloc(4_096, 0xff);
    leaf.writeUInt8(0x0d, 0);
    expect(lastPositionIn(leaf, 'events')).to.equal(null);
    expect(lastPositionIn(Buffer.alloc(0), 'events')).to.equal(null);
  });
});
