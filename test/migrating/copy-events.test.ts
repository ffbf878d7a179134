/** How events are appended to the target: as many at a time as it bears, in order, and again where an answer is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type EventStore,
  MAX_APPEND_EVENTS,
  NO_STREAM,
  NotPermitted,
  StoreUnavailable,
} from '../../events/event-store.ts';
import { append } from '../support/event-log.ts';
import { type Fault, faultyEventStore } from '../support/faulty-event-store.ts';
import { newEvents, newStream } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { contentOf, migrate, migrated, type OpenLog, sourceAndTarget } from './logs.ts';

/** Too short, it would let a fault pass, and never fail by itself. */
const LONGER_THAN_A_RETRY_MS = 100;

describe('A migration appends', () => {
  let source: OpenLog;
  let target: OpenLog;

  beforeEach(async () => {
    ({ source, target } = await sourceAndTarget());
  });

  it('together what stands together in a stream, within the bounds of an append', async () => {
    const stream = newStream();
    await append(source.events, stream, NO_STREAM, newEvents(MAX_APPEND_EVENTS));
    await append(source.events, stream, MAX_APPEND_EVENTS - 1, newEvents(1));
    await append(
      source.events,
      newStream(),
      NO_STREAM,
      newEvents(10, { data: { text: 'x'.repeat(60_000) } }),
    );
    const log = faultyEventStore(target.events);
    await migrated(source, { ...target, events: log });

    const sizes = log.appends.map(({ events }) => events.length);
    expect(sizes).to.deep.equal([...Array<number>(60).fill(1), 150, 40, MAX_APPEND_EVENTS, 1, 8, 2]);
  });

  it('one after the other where the engine promises no order to more', async () => {
    const log = faultyEventStore(target.events);
    log.plan('hang');
    const migration = migrated(source, { ...target, events: log });
    await until('it appends', () => log.appends.length > 0);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(log.appends).to.have.length(1);
    log.letGo();
    await migration;
  });

  it('as many at a time as the engine commits together', async () => {
    const log = faultyEventStore(target.events);
    log.plan(...Array<Fault>(7).fill('hang'));
    const migration = migrated(source, { ...target, events: log, together: { appends: 7, bytes: 1e9 } });
    await until('it appends', () => log.appends.length > 0);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(log.appends).to.have.length(7);
    log.letGo();
    await migration;
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('again, and all of them, when it has no answer to one', async () => {
    const log = faultyEventStore(target.events);
    log.plan(undefined, 'write silently', undefined, undefined, undefined, undefined, 'lose', 'lose', 'lose');
    await migrated(source, { ...target, events: log, together: { appends: 3, bytes: 1e9 } });

    expect(log.appends.slice(3, 6)).to.deep.equal(log.appends.slice(0, 3));
    expect(log.appends.slice(9, 12)).to.deep.equal(log.appends.slice(6, 9));
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('again only when none of them is under way any more', async () => {
    const log = faultyEventStore(target.events);
    log.plan('hang', 'lose', 'lose');
    const migration = migrated(source, { ...target, events: log, together: { appends: 3, bytes: 1e9 } });
    await until('it appends', () => log.appends.length > 0);
    await pause(LONGER_THAN_A_RETRY_MS);
    expect(log.appends).to.have.length(3);
    log.letGo();
    await migration;
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('nothing more once its patience with a target that is away is over, and goes on when it is back', async () => {
    const log = faultyEventStore(target.events);
    log.plan(undefined, undefined, 'refuse');
    const error = await rejectionOf(migrate(source, { ...target, events: log }));
    expect(error).to.be.instanceOf(StoreUnavailable);
    expect(log.appends).to.have.length(3);
    expect(await migrated(source, { ...target, events: log })).to.include({ events: 250, copied: 248 });
  });

  it('the same again while the target is away, for as long as its patience lasts', async () => {
    const log = faultyEventStore(target.events);
    log.plan(undefined, undefined, 'refuse', 'refuse');
    await migrated(source, { ...target, events: log }, { patienceMs: 60_000 });
    expect(log.appends.slice(2, 5)).to.deep.equal(Array(3).fill(log.appends[2]));
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('nothing again where only a person can mend what is wrong', async () => {
    const log = faultyEventStore(target.events);
    log.beforeAppend = () => Promise.reject(new NotPermitted('the user ops may not write'));
    const refused = migrate(source, { ...target, events: log }, { patienceMs: 60_000 });
    expect(await rejectionOf(refused)).to.be.instanceOf(NotPermitted);
    expect(log.appends).to.have.length(1);
  });

  it('what a source gives that was away while it was read', async () => {
    let failures = 0;
    const failing: EventStore = {
      ...source.events,
      async *subscribe(options) {
        for await (const page of source.events.subscribe({ ...options, pageSize: 20 })) {
          yield page;
          failures += 1;
          if (failures % 3 === 0) throw new StoreUnavailable('no node answers');
        }
      },
    };
    await migrated({ ...source, events: failing }, target, { patienceMs: 60_000 });
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('while it reads no further ahead than a page', async () => {
    await append(source.events, newStream(), NO_STREAM, newEvents(1_000));
    await append(source.events, newStream(), NO_STREAM, newEvents(1_000));
    let read = 0;
    const counted: EventStore = {
      ...source.events,
      async *subscribe(options) {
        for await (const page of source.events.subscribe(options)) {
          read += page.events.length;
          yield page;
        }
      },
    };
    const log = faultyEventStore(target.events);
    log.plan('hang');
    const migration = migrated({ ...source, events: counted }, { ...target, events: log });
    await until('it appends', () => log.appends.length > 0);
    const before = read;
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(read - before).to.be.at.most(500);
    expect(read).to.be.below(2_000);
    log.letGo();
    await migration;
  });
});
