/** As wal-origin.test.ts has it of the views. */
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { expect } from 'chai';
import { openMeterFile } from '../../../infra/sqlite/meter-file.ts';
import { openQueueFile } from '../../../infra/sqlite/queue-file.ts';
import { openSqliteQueue } from '../../../infra/sqlite/queue.ts';
import { withConnection } from '../../../infra/sqlite/connections.ts';
import { emptyWal } from '../../../infra/sqlite/wal-keeper.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const WAL_HEADER_BYTES = 32;
const WAL_FRAME_BYTES = 24 + 4_096;

describe('The write-ahead log of the queue and of the meter', () => {
  let folder: TempFolder;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  /** Null where the file is refused. */
  const tasksIn = (path: string): readonly unknown[] | null => {
    try {
      const db = openQueueFile(path);
      const found = db.prepare('SELECT id FROM tasks').pluck().all();
      db.close();
      return found;
    } catch (error) {
      expect(String(error)).to.match(/do not belong together/);
      return null;
    }
  };

  it('begins with what is marked: to open a file writes nothing', () => {
    for (const [name, open] of [
      ['queue.db', openQueueFile],
      ['meter.db', openMeterFile],
    ] as const) {
      const path = folder.file(name);
      open(path).close();
      const db = open(path);
      expect(statSync(`${path}-wal`).size, name).to.equal(0);
      db.close();
    }
  });

  it('is not laid on an older copy of its file, whichever part of it is left', async () => {
    const path = folder.file('queue.db');
    const older = folder.file('older.db');
    const sqlite = openSqliteQueue(path);
    const add = (id: string): Promise<void> =>
      sqlite.queue.add([{ id, name: 'test', payload: '{}', dueAtMs: 0 }]);
    await add('first');
    withConnection(path, emptyWal);
    copyFileSync(path, older);
    await add('second');
    withConnection(path, emptyWal);
    for (const id of ['third', 'fourth']) await add(id);
    let refused = 0;
    for (let bytes = WAL_HEADER_BYTES; bytes <= statSync(`${path}-wal`).size; bytes += WAL_FRAME_BYTES) {
      const put = folder.file(`with ${bytes}.db`);
      copyFileSync(older, put);
      copyFileSync(`${path}-wal`, `${put}-wal`);
      truncateSync(`${put}-wal`, bytes);
      const found = tasksIn(put);
      if (found === null) refused += 1;
      else expect(found, 'nothing of it is read').to.deep.equal(['first']);
    }
    expect(refused).to.be.greaterThan(0);
    await sqlite.close();
  });
});
