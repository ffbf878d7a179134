/** A log is compared with its followers when it is opened and whenever one reads on; a wrong one is written to no more. */
import { expect } from 'chai';
import { type EventStore, LogLost, NO_STREAM } from '../../events/event-store.ts';
import type { LogMark } from '../../events/log-mark.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { compareFollowers, type LogFollower } from '../../src/checking/compare-followers.ts';
import { guardedLog, type LogGuard } from '../../src/checking/guarded-log.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { withOtherPositions } from '../support/other-positions.ts';
import { rejectionOf } from '../support/rejection.ts';
import { tempFolder } from '../support/temp-folder.ts';

const LAST = '0000000000000005';

describe('A log beside its followers', () => {
  let log: EventStore;
  let mark: LogMark;
  beforeEach(async () => {
    log = memoryEventStore();
    await log.append(newStream(), NO_STREAM, newEvents(5));
    const found = await log.marks.at(LAST);
    if (found === null) throw new Error('there is no mark');
    mark = found;
  });

  const follower = (kept: LogMark | null, position: string | null = kept?.position ?? null): LogFollower => ({
    name: 'the view',
    position,
    mark: kept,
  });
  const guard = (parts: Partial<LogGuard>): LogGuard => ({
    followers: async () => [],
    acceptance: async () => null,
    onLost: () => {},
    ...parts,
  });
  const kindsFor = async (...followers: LogFollower[]): Promise<string[]> =>
    (await compareFollowers(log, followers)).map(({ kind }) => kind);

  it('agrees with whoever is where it is, behind it, nowhere yet, or of another engine', async () => {
    const first = await log.marks.at('0000000000000001');
    const ofOtherEngine = { ...mark, position: '5-5' };
    expect(
      await kindsFor(
        follower(mark),
        follower(first),
        follower(null),
        follower(null, LAST),
        follower(ofOtherEngine),
      ),
    ).to.deep.equal([]);
  });

  it('agrees, in a file, with views of a program that knew no marks and another engine', async () => {
    const folder = await tempFolder();
    const { store, close } = await openSqliteLog({ path: folder.file('log.db') });
    await store.append(newStream(), NO_STREAM, newEvents(5));
    const theirs = '0000000000000000700-0000000000000000700';
    expect(await compareFollowers(store, [follower(null, theirs)])).to.deep.equal([]);
    await close();
    await folder.remove();
  });

  it('agrees, while it is empty, with views that stand before its first event', async () => {
    log = memoryEventStore();
    expect(await kindsFor(follower(null, '0000000000000000'))).to.deep.equal([]);
  });

  it('differs from whoever follows another log, has seen more, or another event', async () => {
    const beyond = { ...mark, position: '0000000000000007' };
    expect(await kindsFor(follower({ ...mark, logId: 'another' }))).to.deep.equal(['another_log']);
    expect(await kindsFor(follower(beyond))).to.deep.equal(['shorter']);
    expect(await kindsFor(follower(null, beyond.position))).to.deep.equal(['shorter']);
    expect(await kindsFor(follower({ ...mark, eventId: 'evt_other' }))).to.deep.equal(['other_events']);
    log = memoryEventStore();
    expect(await kindsFor(follower(null, LAST))).to.deep.equal(['shorter']);
  });

  it('agrees, with no event in it, with whoever stands at an event of somebody else', async () => {
    const theirs = await withOtherPositions(log).head();
    log = withOtherPositions(memoryEventStore());
    expect(log.knows(theirs ?? '')).to.equal(true);
    expect(await kindsFor(follower(null, theirs))).to.deep.equal([]);
  });

  it('differs from whoever keeps another digest of the same place', async () => {
    const digest = { position: LAST, sha256: 'ours' };
    const digested = { ...log, marks: { ...log.marks, digestAt: async () => 'theirs' } };
    const [found] = await compareFollowers(digested, [follower({ ...mark, digest })]);
    expect(found?.kind).to.equal('other_events');
  });

  it('tells positions, times and how many events are missing', async () => {
    const [found] = await compareFollowers(log, [follower({ ...mark, position: '0000000000000007' })]);
    expect(found?.problem).to.equal(
      `has seen 0000000000000007 of ${mark.at}, and the log ends at ${LAST} of ${mark.at}: 2 events are missing`,
    );
  });

  it('takes writes and followers while it agrees', async () => {
    const { events, verify, lost } = guardedLog(log, guard({ followers: async () => [follower(mark)] }));
    await verify();
    expect(lost()).to.equal(null);
    expect(await events.append(newStream(), NO_STREAM, [newEvent()])).to.include({ ok: true });
  });

  it('writes nothing and reads nothing on once it differs, says so once, and cannot be written to', async () => {
    const told: string[] = [];
    const seen = follower({ ...mark, logId: 'another' });
    const { events, verify } = guardedLog(
      log,
      guard({ followers: async () => [seen], onLost: ({ message }) => void told.push(message) }),
    );
    await verify();
    await verify();
    const { signal } = new AbortController();
    const first = { streamId: newStream(), expectedRevision: NO_STREAM, events: [newEvent()] };
    const refused = [
      events.append(first.streamId, NO_STREAM, first.events),
      events.appendAll?.(first, []),
      events.checkWritable?.(),
      events.subscribe({ after: null, signal })[Symbol.asyncIterator]().next(),
      events.read(first.streamId)[Symbol.asyncIterator]().next(),
    ];
    for (const one of refused) expect(await rejectionOf(Promise.resolve(one))).to.be.instanceOf(LogLost);
    expect(await log.head()).to.equal(LAST);
    expect(told).to.have.lengthOf(1);
    expect(told[0]).to.match(/^the view follows another log, .*bourse log accept-loss --reason TEXT/);
  });

  it('is compared when a follower reads on', async () => {
    let seen = follower(mark);
    const { events, lost } = guardedLog(log, guard({ followers: async () => [seen] }));
    seen = follower({ ...mark, eventId: 'evt_other' });
    const { signal } = new AbortController();
    const page = events.subscribe({ after: LAST, signal })[Symbol.asyncIterator]().next();
    expect(await rejectionOf(page)).to.be.instanceOf(LogLost);
    expect(lost()).to.be.instanceOf(LogLost);
  });

  it('is not used on by a process beside which a loss was accepted, though its followers agree again', async () => {
    let accepted: string | null = 'accepted:one';
    const told: string[] = [];
    const { events, verify, lost } = guardedLog(
      log,
      guard({ acceptance: async () => accepted, onLost: ({ message }) => void told.push(message) }),
    );
    await verify();
    await verify();
    expect(lost()).to.equal(null);
    accepted = 'accepting:another';
    await verify();
    accepted = 'accepted:another';
    await verify();
    expect(told).to.have.lengthOf(1);
    expect(told[0]).to.match(/accepted while this process ran.*start it again/);
    expect(await rejectionOf(events.append(newStream(), NO_STREAM, [newEvent()]))).to.equal(lost());
  });
});
