/** Subscriptions that the server ends, forgets or drops: every event comes once and in order, and nothing stays open. */
import { status } from '@grpc/grpc-js';
import { expect } from 'chai';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../../events/event-store.ts';
import type { NewEvent, RecordedEvent } from '../../../events/event.ts';
import { append, appendMixed, eventsOf, idsOf, pagesUntil, readAll } from '../../support/event-log.ts';
import type { EventStoreDouble } from '../../support/eventstoredb/double.ts';
import type { StreamFault } from '../../support/eventstoredb/faults.ts';
import { type Ledger, type StoredEvent, systemEvent } from '../../support/eventstoredb/ledger.ts';
import { newEvents, newStream } from '../../support/new-event.ts';
import { ownTimeOf } from '../../support/own-time.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';
import { DEADLINE_MS, logsOn, PREFIX, OTHERS_STREAM, storeOthers } from './logs-on.ts';

describe('A subscription to EventStoreDB', () => {
  const logs = logsOn();
  let server: EventStoreDouble;
  let store: EventStore;
  beforeEach(async () => {
    server = await logs.startDouble();
    ({ store } = await logs.open(server.url));
  });

  const faults: readonly (readonly [string, StreamFault])[] = [
    ['is never answered', { kind: 'silence' }],
    ['is cut off', { kind: 'break' }],
    ['fails in the midst of events', { kind: 'drop-after', events: 17, code: status.UNAVAILABLE }],
    ['is dropped for slowness', { kind: 'drop-after', events: 17, code: status.ABORTED }],
    ['fails by a fault of the server', { kind: 'drop-after', events: 3, code: status.INTERNAL }],
    ['loses its connection in the midst of events', { kind: 'break-after', events: 17 }],
    ['is ended in peace by a server that shuts down', { kind: 'end-after', events: 17 }],
    ['falls silent in the midst of events', { kind: 'silence-after', events: 17 }],
  ];
  for (const [what, fault] of faults) {
    it(`that ${what} gives every event once and in order`, async () => {
      const events = await appendMixed(store, 3, 60);
      const { met } = server.faults.on('subscribe', fault, 2);
      const pages = await pagesUntil(store, { after: null, pageSize: 10 }, seen(events));

      expect(met()).to.equal(2);
      expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf(events));
      await until('the server has no subscription left', () => server.stats().openSubscriptions === 0);
    });
  }

  it('that the server drops for a burst of events catches up with them', async () => {
    // No deadline ends this, and so many events take their time on a busy machine.
    const { store: patient } = await logs.open(server.url, PREFIX, 10 * DEADLINE_MS);
    const burst = newEvents(900);
    let appending: Promise<unknown> | undefined;
    const pages = await pagesUntil(patient, { after: await patient.head() }, (events, page) => {
      if (page.caughtUp) appending ??= append(patient, newStream(), NO_STREAM, burst);
      return seen(burst)(events);
    });
    await appending;

    expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf(burst));
    expect(server.stats().calls.subscribe).to.be.greaterThan(1);
  });

  it('goes on after a restart of the server', async () => {
    const early = await appendMixed(store, 2, 10);
    const late = newEvents(5);
    let restarting: Promise<unknown> | undefined;
    const restart = async (): Promise<void> => {
      await server.stop();
      server = await logs.startDouble({ ledger: server.ledger, port: server.port });
      const { store: another } = await logs.open(server.url);
      await append(another, newStream(), NO_STREAM, late);
    };
    const pages = await pagesUntil(store, { after: null }, (events) => {
      if (seen(early)(events)) restarting ??= restart();
      return seen([...early, ...late])(events);
    });
    await restarting;

    expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf([...early, ...late]));
  });

  it('moves to the new connection where the old one has fallen silent for others', async () => {
    let moved: Promise<unknown> | undefined;
    const late = newEvents(1);
    const replace = async (): Promise<void> => {
      const stream = newStream();
      server.faults.on('read', { kind: 'silence' }, 1);
      await readAll(store, stream);
      await until('one connection is left', () => server.stats().openConnections === 1);
      await append(store, newStream(), NO_STREAM, late);
    };
    await pagesUntil(store, { after: null }, (events, page) => {
      if (page.caughtUp) moved ??= replace();
      return seen(late)(events);
    });
    await moved;

    expect(server.stats().calls.subscribe).to.equal(2);
  });

  it('tells its reader when the server stays away', async () => {
    await appendMixed(store, 1, 3);
    await server.stop();
    const startMs = performance.now();
    const tookMs = await ownTimeOf(async () => {
      const failure = await rejectionOf(pagesUntil(store, { after: null }, () => false));
      expect(failure).to.be.instanceOf(StoreUnavailable);
    });

    expect(performance.now() - startMs).to.be.at.least(2 * DEADLINE_MS);
    expect(tookMs).to.be.below(10 * DEADLINE_MS);
  });

  it('is believed to have caught up where the server does not say so, once the log proves it', async () => {
    const events = await appendMixed(store, 1, 3);
    server.faults.on('subscribe', { kind: 'silence-after', events: 3 }, 1);
    const pages = await pagesUntil(store, { after: null }, (_, page) => page.caughtUp);

    expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf(events));
    expect(server.stats().calls.subscribe).to.equal(1);
  });

  it('leaves nothing open on the server, however it is left', async () => {
    await appendMixed(store, 1, 300);
    for (let i = 0; i < 20; i += 1) await pagesUntil(store, { after: null, pageSize: 10 }, () => true);
    const abort = new AbortController();
    for await (const page of store.subscribe({ after: null, signal: abort.signal }))
      if (page.caughtUp) abort.abort();

    await until('the server has no subscription left', () => server.stats().openSubscriptions === 0);
  });
});

describe('A subscription to EventStoreDB, in a database that others write to', () => {
  const logs = logsOn();
  let server: EventStoreDouble;
  const others = (count: number): void => storeOthers(server, count);

  for (const generation of ['23.10', '24.2'] as const) {
    describe(`of the generation of ${generation}`, () => {
      let store: EventStore;
      beforeEach(async () => {
        server = await logs.startDouble({ generation });
        ({ store } = await logs.open(server.url));
      });

      it('moves on over their events, and gives ours alone', async () => {
        const early = await appendMixed(store, 1, 3);
        others(2_500);
        const late = await appendMixed(store, 1, 3);
        const pages = await pagesUntil(store, { after: null }, seen(late));
        expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf([...early, ...late]));

        const after = pages.at(-1)?.position ?? null;
        let before = '';
        const moved = await pagesUntil(store, { after }, (_, page) => {
          if (page.caughtUp && before === '') {
            before = page.position;
            others(2_500);
          }
          return page.position > before && before !== '';
        });
        expect(eventsOf(moved)).to.deep.equal([]);
      });

      it('begins where the installation was begun, not where the database was', async () => {
        others(20_000);
        const { store: young } = await logs.open(server.url, 'young.');
        const events = await appendMixed(young, 1, 3);
        const [page] = await pagesUntil(young, { after: null }, seen(events));

        expect(idsOf(page?.events ?? [])).to.deep.equal(idsOf(events));
      });

      it('says that nothing is there in a log without events, and goes on from there', async () => {
        others(10);
        const [first] = await pagesUntil(store, { after: null }, (_, page) => page.caughtUp);
        const events = await appendMixed(store, 1, 3);
        const pages = await pagesUntil(store, { after: first?.position ?? null }, seen(events));

        expect(first?.events).to.deep.equal([]);
        expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf(events));
      });

      it('loses nothing where the event that it was left at has been scavenged since', async () => {
        await appendMixed(store, 1, 1);
        others(1_000);
        const [left] = await pagesUntil(store, { after: null }, (_, page) => page.caughtUp);
        scavenge(server.ledger, OTHERS_STREAM);
        const events = await appendMixed(store, 1, 2);
        const pages = await pagesUntil(store, { after: left?.position ?? null }, seen(events));

        expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf(events));
      });

      it('refuses to begin beyond the end of the log, as after the restore of an older copy', async () => {
        await appendMixed(store, 1, 3);
        const after = await store.head();
        const older = await logs.startDouble({ generation });
        const { store: restored } = await logs.open(older.url);
        expect(await rejectionOf(pagesUntil(restored, { after }, () => true))).to.be.instanceOf(RangeError);
      });
    });
  }

  it('stops at an event under our prefix that we did not write, and names it', async () => {
    server = await logs.startDouble();
    const { store } = await logs.open(server.url);
    server.ledger.store(`${PREFIX}job-1`, [systemEvent('TheirsHappened', {})]);

    const failure = await rejectionOf(pagesUntil(store, { after: null }, () => false));
    expect(failure)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.contains('event 0 of the stream bourse.job-1');
  });
});

function seen(wanted: readonly NewEvent[]): (events: readonly RecordedEvent[]) => boolean {
  return (events) => {
    const ids = new Set(idsOf(events));
    return wanted.every(({ id }) => ids.has(id));
  };
}

/** What a scavenge does to a stream that is bounded to nothing. */
function scavenge({ log }: Ledger, stream: string): void {
  const kept = log.filter((event) => event.stream !== stream);
  (log as StoredEvent[]).splice(0, log.length, ...kept);
}
