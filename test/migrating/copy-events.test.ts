/** How events are appended to the target: as many at a time as it bears, in order, and again where an answer is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type EventStore, MAX_APPEND_EVENTS, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
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

  it('nothing more once the target is away, and goes on when it is back', async () => {
    const log = faultyEventStore(target.events);
    log.plan(undefined, undefined, 'refuse');
    const error = await rejectionOf(migrate(source, { ...target, events: log }));
    expect(error).to.be.instanceOf(StoreUnavailable);
    expect(log.appends).to.have.length(3);
    expect(await migrated(source, { ...target, events: log })).to.include({ events: 250, copied: 248 });
  });

  it('while it reads no further ahead than a page', async () => {
    await append(source.events, newStream(), NO_STREAM, newEvents(1_000));
    await append(source.events, newStream(), NO_STREAM, newEvents(1_000));
    let pages = 0;
    let pagesCopied = 0;
    const counted: EventStore = {
      ...source.events,
      async *subscribe(options) {
        for await (const page of source.events.subscribe(options)) {
          pages += 1;
          yield page;
        }
      },
    };
    const log = faultyEventStore(target.events);
    log.plan('hang');
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase === 'reading') pagesCopied = pages;
    };
    const migration = migrated({ ...source, events: counted }, { ...target, events: log }, { onProgress });
    await until('it appends', () => log.appends.length > 0);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(pages - pagesCopied).to.equal(1);
    log.letGo();
    await migration;
  });
});
