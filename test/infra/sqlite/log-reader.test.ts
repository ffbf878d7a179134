/** What readers of a stream of the SQLite log may rely on besides the contract. */
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../../infra/sqlite/event-store.ts';
import { append } from '../../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../../support/new-event.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const LONG_CHARS = 100_000;

describe('a read of the SQLite log', () => {
  let folder: TempFolder;
  let log: SqliteLog;
  before(async () => {
    folder = await tempFolder();
    log = await openSqliteLog({ path: folder.file('log.db') });
  });
  after(async () => {
    await log.close();
    await folder.remove();
  });

  it('gives no more than fits in a page between two rounds of the event loop, however short events were before', async () => {
    const stream = newStream();
    const long = Array.from({ length: 60 }, () => newEvent({ data: { text: 'x'.repeat(LONG_CHARS) } }));
    let revision = (await append(log.store, stream, NO_STREAM, newEvents(600))).revision;
    for (const event of long) revision = (await append(log.store, stream, revision, [event])).revision;
    let [longOnes, inRound, most] = [0, 0, 0];
    const nextRound = (): void => {
      inRound = 0;
      counting = setImmediate(nextRound);
    };
    let counting = setImmediate(nextRound);
    for await (const { data } of log.store.read(stream)) {
      if (!('text' in data)) continue;
      longOnes += 1;
      most = Math.max(most, (inRound += 1));
    }
    clearImmediate(counting);
    expect(longOnes).to.equal(long.length);
    expect(most).to.be.at.most(1_000_000 / LONG_CHARS + 1);
  });
});
