import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { sharedLog } from '../../src/following/shared-log.ts';
import { followsTheLog } from '../contract/event-store.subscriptions.ts';
import { append, idsOf, pagesUntil } from '../support/event-log.ts';
import { eventStoreDbKinds } from '../support/eventstoredb-logs.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { type OpenFollower, openFollower } from '../support/open-follower.ts';
import { rejectionOf } from '../support/rejection.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type WatchedSubscriptions, watchedSubscriptions } from '../support/watched-subscriptions.ts';

const TYPES = ['Happened', 'Opened', 'Wanted', 'AlsoWanted', 'Other', 'NeverHappens', 'Rare'];

describe('A log that its followers share', () => {
  let watched: WatchedSubscriptions;
  let log: EventStore;
  let followers: OpenFollower[];
  beforeEach(() => {
    watched = watchedSubscriptions(memoryEventStore());
    log = sharedLog(watched.store, TYPES, { events: 20, chars: 1_000_000 });
    followers = [];
  });
  afterEach(async () => {
    await Promise.all(followers.map(({ leave }) => leave()));
    expect(watched.open()).to.equal(0);
  });

  async function happens(count: number, type = 'Happened'): Promise<string> {
    return (await append(log, newStream(), NO_STREAM, newEvents(count, { type }))).position;
  }
  function begin(
    after: string | null = null,
    pageSize = 500,
    types: readonly string[] = TYPES,
  ): OpenFollower {
    const follower = openFollower(log, { after, types, pageSize });
    followers.push(follower);
    return follower;
  }
  async function beginAtEnd(count: number): Promise<OpenFollower[]> {
    const head = (await log.head()) ?? '';
    const begun = Array.from({ length: count }, () => begin());
    for (const follower of begun) await follower.takeUpTo(head);
    // By their next page they have left their own subscriptions.
    const next = await happens(1);
    for (const follower of begun) await follower.takeUpTo(next);
    return begun;
  }

  it('is followed once by all who are at its end, who are given the very same events', async () => {
    await happens(30);
    const [first, ...others] = await beginAtEnd(10);
    expect(watched.open()).to.equal(1);

    const before = watched.pages();
    const end = await happens(3);
    for (const follower of followers) await follower.takeUpTo(end);
    expect(watched.pages() - before).to.equal(1);
    for (const { events } of others) {
      expect(idsOf(events)).to.deep.equal(idsOf(first?.events ?? []));
      events.slice(-3).forEach((event, i) => expect(event).to.equal(first?.events.at(i - 3)));
    }
  });

  it('gives each follower the types that it asks for, and moves its position on past the others', async () => {
    await happens(1);
    await beginAtEnd(1);
    const [wanted, none] = [begin(null, 500, ['Wanted']), begin(null, 500, ['NeverHappens'])];
    await happens(2, 'Other');
    const position = await happens(2, 'Wanted');
    await Promise.all(followers.map((follower) => follower.takeUpTo(position)));
    const end = await happens(2, 'Wanted');
    await Promise.all(followers.map((follower) => follower.takeUpTo(end)));

    expect(wanted.events.map(({ type }) => type)).to.deep.equal(Array(4).fill('Wanted'));
    expect(none.events).to.deep.equal([]);
    expect(watched.open()).to.equal(1);
  });

  it('lets one that begins late catch up by itself, and join the others', async () => {
    await happens(100);
    const [early] = await beginAtEnd(2);
    const late = begin(null, 7);
    await late.take();
    expect(watched.open()).to.equal(2);
    const end = await happens(1);
    for (const follower of followers) await follower.takeUpTo(end);
    expect(idsOf(late.events)).to.deep.equal(idsOf(early?.events ?? []));
    const more = await happens(1);
    await late.takeUpTo(more);
    expect(watched.open()).to.equal(1);
  });

  it('lets one that is slow hold nobody, keeps no more for it than for others, and loses nothing of its', async () => {
    await happens(1);
    const [slow, fast] = await beginAtEnd(2);
    for (let i = 0; i < 40; i += 1) await fast?.takeUpTo(await happens(5));
    expect(watched.open()).to.equal(1);
    await slow?.takeUpTo((await log.head()) ?? '');
    expect(idsOf(slow?.events ?? [])).to.deep.equal(idsOf(fast?.events ?? []));
    expect(slow?.events).to.have.length(202);
    const end = await happens(1);
    for (const follower of followers) await follower.takeUpTo(end);
    expect(watched.open()).to.equal(1);
  });

  it('reads nothing ahead of the fastest follower', async () => {
    await happens(1);
    const [follower] = await beginAtEnd(1);
    const before = watched.pages();
    await happens(1_000);
    const end = await happens(1_000);
    for (let turns = 0; turns < 10; turns += 1) await nextTurn();
    expect(watched.pages()).to.equal(before);
    await follower?.takeUpTo(end);
    expect(watched.pages() - before).to.equal(4);
  });

  it('goes on for the others when one leaves in the midst of a page or throws', async () => {
    await happens(1);
    const [leaves, stays] = await beginAtEnd(2);
    const thrower = (async () => {
      for await (const page of log.subscribe({
        after: null,
        types: TYPES,
        signal: new AbortController().signal,
      }))
        if (page.events.length === 2) throw new Error('it cannot take this');
    })();
    const gone = rejectionOf(thrower);
    await leaves?.leave();
    await stays?.takeUpTo(await happens(1));
    await stays?.takeUpTo(await happens(2));
    expect(await gone).to.have.property('message', 'it cannot take this');
    await stays?.takeUpTo(await happens(1));
    expect(stays?.events).to.have.length(6);
    expect(watched.open()).to.equal(1);
  });

  it('lets one that waits go as soon as its signal says so, and nobody else', async () => {
    await happens(1);
    const [stays] = await beginAtEnd(1);
    const leaving = new AbortController();
    const leaves = openFollower(log, { after: await log.head(), types: TYPES }, leaving);
    await leaves.take();
    const [left, waits] = [leaves.take(), stays?.take()];
    leaving.abort();
    expect(await left).to.equal(null);
    await happens(1);
    expect((await waits)?.events).to.have.length(1);
  });

  it('tells every follower when the log fails, and each can go on from where it is', async () => {
    await happens(3);
    await beginAtEnd(3);
    const waiting = followers.map((follower) => rejectionOf(follower.take()));
    watched.failOnce(new StoreUnavailable('the log is away'));
    await happens(2);
    for (const failure of await Promise.all(waiting)) expect(failure).to.be.instanceOf(StoreUnavailable);

    const again = followers.map(({ events }) => begin(events.at(-1)?.position ?? null));
    const end = await happens(1);
    for (const follower of again) {
      await follower.takeUpTo(end);
      expect(follower.events).to.have.length(3);
    }
  });

  it('ends with the log, once what was read of it is given', async () => {
    await happens(1);
    const [follower, other] = await beginAtEnd(2);
    await happens(2);
    await other?.take();
    await log.close();
    expect((await follower?.take())?.events).to.have.length(2);
    expect(await follower?.take()).to.equal(null);
    expect(await other?.take()).to.equal(null);
  });

  it('tells a follower of nothing more only as of a time when it followed', async () => {
    await happens(10);
    const [reader] = await beginAtEnd(1);
    // The others were last told before these: whoever begins now must be given them before it hears of the end.
    const end = await happens(3);
    const late = begin(reader?.events.at(-2)?.position ?? null, 1);
    for (let page = await late.take(); page?.caughtUp === false; page = await late.take());
    expect(late.events.at(-1)?.position).to.equal(end);
    await reader?.takeUpTo(end);
  });

  it('does not read for others what nobody shares: other types, or all', async () => {
    await beginAtEnd(1);
    await append(log, newStream(), NO_STREAM, [newEvent({ type: 'Foreign' })]);
    const types = [...TYPES, 'Foreign'];
    for (const options of [{ after: null }, { after: null, types }]) {
      const pages = await pagesUntil(log, options, (_, page) => page.caughtUp);
      expect(pages.at(-1)?.events.at(-1)?.type).to.equal('Foreign');
    }
    expect(watched.open()).to.equal(1);
  });
});

const engines = [
  {
    name: 'SQLite',
    start: async () => {
      const folder = await tempFolder();
      return {
        open: () => openSqliteLog({ path: folder.file('log.db') }),
        dispose: () => folder.remove(),
      };
    },
  },
  ...eventStoreDbKinds,
];

for (const { name, start } of engines) {
  describe(`A log that its followers share: ${name}`, () => {
    /** So few that followers keep falling behind the window and joining again. */
    const bounds = { events: 6, chars: 1_000_000 };
    let engine: Awaited<ReturnType<typeof start>>;
    let store: EventStore;
    const standing = new AbortController();
    let standingBy: Promise<void>;
    const sharing = (own: EventStore): EventStore => {
      const shared = sharedLog(own, TYPES, bounds);
      return { ...shared, subscribe: (options) => shared.subscribe({ types: TYPES, ...options }) };
    };
    const follow = async (): Promise<void> => {
      for await (const page of store.subscribe({ after: null, signal: standing.signal }))
        expect(page.events.length).to.be.at.most(500);
    };

    before(async () => {
      engine = await start();
      store = sharing((await engine.open()).store);
      standingBy = follow();
    });
    after(async () => {
      standing.abort();
      await standingBy;
      await store.close();
      await engine.dispose();
    });

    followsTheLog(
      () => store,
      async () => sharing((await engine.open()).store),
    );
  });
}
