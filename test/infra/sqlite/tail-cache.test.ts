/** What followers are given of the newest events, as long as this process has them at hand. */
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { createTailCache, type TailCache } from '../../../infra/sqlite/tail-cache.ts';
import { append, eventsOf, idsOf, pagesUntil, readAll } from '../../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../../support/new-event.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

function followed(): TailCache {
  const tail = createTailCache();
  tail.beginFollowing();
  return tail;
}

describe('The recent events of the log', () => {
  const stream = newStream();

  it('are the very events that were appended, each in its place', () => {
    const recent = followed();
    const events = newEvents(3);
    recent.add(stream, events, { revision: 5, row: 1 }, 300);

    const page = recent.page(1, 3, 10)?.events ?? [];
    expect(page.map(({ revision }) => revision)).to.deep.equal([6, 7]);
    expect(page.map(({ position }) => Number(position))).to.deep.equal([2, 3]);
    expect(page[0]?.data).to.equal(events[1]?.data);
  });

  it('are given by type and at most so many', () => {
    const recent = followed();
    const rare = newEvent({ type: 'Rare' });
    recent.add(stream, [...newEvents(2), rare, ...newEvents(2)], { revision: 0, row: 1 }, 500);

    expect(idsOf(recent.page(0, 5, 10, ['Rare'])?.events ?? [])).to.deep.equal([rare.id]);
    expect(recent.page(0, 5, 2)?.events).to.have.length(2);
  });

  it('are not at hand before the first of them, nor beyond the last', () => {
    const recent = followed();
    recent.add(stream, newEvents(2), { revision: 0, row: 101 }, 200);

    expect(recent.page(99, 102, 10)).to.equal(undefined);
    expect(recent.page(100, 102, 10)?.events).to.have.length(2);
    expect(recent.page(100, 103, 10)).to.equal(undefined);
  });

  it('say where they end to whoever is behind that, and whom they can tell all of it', () => {
    const recent = followed();
    recent.add(stream, newEvents(2), { revision: 0, row: 101 }, 200);

    expect([99, 100, 101, 102, 103].map(recent.headAfter)).to.deep.equal([
      undefined,
      102,
      102,
      undefined,
      undefined,
    ]);
  });

  it('begin anew where another process wrote in between', () => {
    const recent = followed();
    recent.add(stream, newEvents(2), { revision: 0, row: 1 }, 200);
    recent.add(stream, newEvents(1), { revision: 3, row: 4 }, 100);

    expect(recent.page(0, 2, 10)).to.equal(undefined);
    expect(recent.page(3, 4, 10)?.events).to.have.length(1);
  });

  it('do not hold an append twice that was sent twice', () => {
    const recent = followed();
    const events = newEvents(2);
    recent.add(stream, events, { revision: 0, row: 1 }, 200);
    recent.add(stream, events, { revision: 0, row: 1 }, 200);

    expect(idsOf(recent.page(0, 2, 10)?.events ?? [])).to.deep.equal(idsOf(events));
    expect(recent.page(0, 3, 10)).to.equal(undefined);
  });

  it('are kept only while somebody follows the log', () => {
    const recent = createTailCache();
    recent.add(stream, newEvents(2), { revision: 0, row: 1 }, 200);
    expect(recent.headAfter(0)).to.equal(undefined);

    recent.beginFollowing();
    recent.beginFollowing();
    recent.add(stream, newEvents(2), { revision: 2, row: 3 }, 200);
    recent.endFollowing();
    expect(recent.page(2, 4, 10)?.events).to.have.length(2);

    recent.endFollowing();
    expect(recent.page(2, 4, 10)).to.equal(undefined);
    recent.beginFollowing();
    recent.add(stream, newEvents(1), { revision: 4, row: 5 }, 200);
    expect(recent.headAfter(3)).to.equal(undefined);
    expect(recent.page(4, 5, 10)?.events).to.have.length(1);
  });

  it('are bounded, by number and by size', () => {
    const many = followed();
    for (let row = 1; row <= 50_000; row += 1)
      many.add(stream, [newEvent()], { revision: row - 1, row }, 100);
    expect(many.page(40_000, 50_000, 1)).to.equal(undefined);
    expect(many.page(49_000, 50_000, 1)?.events).to.have.length(1);

    const large = followed();
    for (let row = 1; row <= 100; row += 1)
      large.add(stream, [newEvent()], { revision: row, row }, 1_000_000);
    expect(large.page(90, 100, 1)).to.equal(undefined);
    expect(large.page(99, 100, 1)?.events).to.have.length(1);
  });
});

describe('A follower of a log that two connections write', () => {
  let folder: TempFolder;

  beforeEach(async () => {
    folder = await tempFolder();
  });

  afterEach(() => folder.remove());

  it('is given the events of both in the order in which they were committed', async () => {
    const ours = await openSqliteLog({ path: folder.file('log.db') });
    const theirs = await openSqliteLog({ path: folder.file('log.db') });
    const stream = newStream();
    for (let revision = NO_STREAM; revision < 20; revision += 1) {
      const log = revision % 3 === 0 ? theirs : ours;
      await append(log.store, stream, revision, newEvents(1));
    }
    const written = await readAll(ours.store, stream);
    const pages = await pagesUntil(ours.store, { after: null, pageSize: 4 }, (_, page) => page.caughtUp);

    expect(eventsOf(pages)).to.deep.equal(written);
    await ours.close();
    await theirs.close();
  });
});
