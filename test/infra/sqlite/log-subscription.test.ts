/** What followers of the SQLite log may rely on besides the contract. */
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../../infra/sqlite/event-store.ts';
import { append, eventsOf, idsOf, pagesUntil } from '../../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../../support/new-event.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

describe('a subscription to the SQLite log', () => {
  let folder: TempFolder;
  let log: SqliteLog;

  beforeEach(async () => {
    folder = await tempFolder();
    log = await openSqliteLog({ path: folder.file('log.db') });
  });

  afterEach(async () => {
    await log.close();
    await folder.remove();
  });

  it('hears of its own process’s appends at once, without waiting for the next poll', async () => {
    const abort = new AbortController();
    const pages = log.store.subscribe({ after: null, signal: abort.signal })[Symbol.asyncIterator]();
    await pages.next();
    let heard = false;
    const next = pages.next().then(() => (heard = true));
    await append(log.store, newStream(), NO_STREAM, newEvents(1));
    await new Promise(setImmediate);

    expect(heard).to.equal(true);
    await next;
    abort.abort();
  });

  it('looks for rare types in steps that other work fits between', async () => {
    const rare = newEvent({ type: 'Rare' });
    for (let i = 0; i < 5; i += 1) await append(log.store, newStream(), NO_STREAM, newEvents(1_000));
    await append(log.store, newStream(), NO_STREAM, [rare]);
    let turns = 0;
    const countTurns = (): void => {
      turns += 1;
      counting = setImmediate(countTurns);
    };
    let counting = setImmediate(countTurns);
    const pages = await pagesUntil(log.store, { after: null, types: ['Rare'] }, (_, page) => page.caughtUp);
    clearImmediate(counting);

    expect(idsOf(eventsOf(pages))).to.deep.equal([rare.id]);
    expect(pages.map(({ position }) => Number(position))).to.deep.equal([2_000, 4_000, 5_001]);
    expect(turns).to.be.at.least(2);
  });

  it('has fewer events in a page where they are long, and more again where they are short', async () => {
    const long = { text: 'x'.repeat(30_000) };
    for (const data of [long, { text: '' }])
      for (let i = 0; i < 20; i += 1)
        await append(log.store, newStream(), NO_STREAM, newEvents(30, { data }));
    const all = eventsOf(
      await pagesUntil(log.store, { after: null, pageSize: 1 }, (_, page) => page.caughtUp),
    );
    const pages = await pagesUntil(log.store, { after: null }, (_, page) => page.caughtUp);

    expect(eventsOf(pages)).to.deep.equal(all);
    const sizes = pages.map(({ events }) => events.length);
    expect(sizes.slice(0, 3)).to.deep.equal([64, 32, 32]);
    expect(Math.max(...sizes)).to.be.at.least(256);
    expect(pages.every(({ chars }) => chars < 2_000_000)).to.equal(true);
  });

  it('refuses a position that the log has not reached: the log is older than the one who asks', async () => {
    await append(log.store, newStream(), NO_STREAM, newEvents(2));
    const after = '0000000000000003';

    const error = await rejectionOf(pagesUntil(log.store, { after }, () => true));
    expect(error).to.be.instanceOf(RangeError);
    expect(String(error)).to.match(/the log ends before 0000000000000003/);
  });

  it('refuses what is no position of this log', async () => {
    for (const after of ['', '7', '-000000000000001', '12:34']) {
      expect(await rejectionOf(pagesUntil(log.store, { after }, () => true)), after).to.be.instanceOf(
        RangeError,
      );
    }
  });
});
