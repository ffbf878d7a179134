/** queue.db as programs before and after this one leave it. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { queueCalls } from '../../../infra/sqlite/queue-calls.ts';
import { openQueueFile } from '../../../infra/sqlite/queue-file.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

/** The newest that the program before the marks of the log takes. */
const FORMAT = 2;

describe('The file of the queue', () => {
  let folder: TempFolder;
  let path: string;
  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('queue.db');
  });
  afterEach(() => folder.remove());

  function change(sql: string): void {
    const db = new Database(path);
    db.exec(sql);
    db.close();
  }
  /** What it says when it is opened. */
  function opened(): { readonly format: unknown; readonly mark: string | null } {
    const db = openQueueFile(path);
    const found = { format: db.pragma('user_version', { simple: true }), mark: queueCalls(db).mark() };
    db.close();
    return found;
  }
  function keepMark(): void {
    const db = openQueueFile(path);
    queueCalls(db).keepMark('kept');
    db.close();
  }

  it('keeps the mark of the log in a format that the program before takes', () => {
    keepMark();
    expect(opened()).to.deep.equal({ format: FORMAT, mark: 'kept' });
  });

  it('takes up a file of the program before', () => {
    openQueueFile(path).close();
    change('DROP TABLE log_mark');
    expect(opened()).to.deep.equal({ format: FORMAT, mark: null });
  });

  it('leads one back that was given a format for the mark, and keeps that', () => {
    keepMark();
    change('PRAGMA user_version = 3');
    expect(opened()).to.deep.equal({ format: FORMAT, mark: 'kept' });
  });

  it('refuses one of a program after this', () => {
    openQueueFile(path).close();
    change('PRAGMA user_version = 4');
    expect(opened).to.throw(/queue\.db is a queue of format 4, and this program knows none after 2$/);
  });
});
