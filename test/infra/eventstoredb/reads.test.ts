/** Reads that break off are read again, and what was not written by us is named, not guessed at. */
import { status } from '@grpc/grpc-js';
import { expect } from 'chai';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../../events/event-store.ts';
import { append, eventsOf, idsOf, isRising, pagesUntil, readAll } from '../../support/event-log.ts';
import type { EventStoreDouble } from '../../support/eventstoredb/double.ts';
import type { StreamFault } from '../../support/eventstoredb/faults.ts';
import { createLedger, type ProposedEvent, systemEvent } from '../../support/eventstoredb/ledger.ts';
import { newEvents, newStream } from '../../support/new-event.ts';
import { ownTimeOf } from '../../support/own-time.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { DEADLINE_MS, logsOn, PREFIX } from './logs-on.ts';

describe('A read from EventStoreDB', () => {
  const logs = logsOn();
  let server: EventStoreDouble;
  let store: EventStore;
  beforeEach(async () => {
    server = await logs.startDouble();
    ({ store } = await logs.open(server.url));
  });

  const faults: readonly (readonly [string, StreamFault])[] = [
    ['is never answered', { kind: 'silence' }],
    ['falls silent in the midst of a page', { kind: 'silence-after', events: 5 }],
    ['is cut off', { kind: 'break' }],
    ['fails in the midst of a page', { kind: 'drop-after', events: 5, code: status.UNAVAILABLE }],
    ['loses its connection in the midst of a page', { kind: 'break-after', events: 5 }],
  ];
  for (const [what, fault] of faults) {
    it(`that ${what} once gives every event all the same`, async () => {
      const [stream, events] = [newStream(), newEvents(30)];
      await append(store, stream, NO_STREAM, events);
      server.faults.on('read', fault, 1);
      expect(idsOf(await readAll(store, stream))).to.deep.equal(idsOf(events));

      // The first page passes, and what follows it meets the fault.
      server.faults.on('read', { kind: 'slow', ms: 0 }, 1);
      const { met } = server.faults.on('read', fault, 1);
      expect(idsOf(await readAll(store, stream))).to.deep.equal(idsOf(events));
      expect(met()).to.equal(1);
    });
  }

  it('that breaks off again and again without a further event is given up', async () => {
    const stream = newStream();
    await append(store, stream, NO_STREAM, newEvents(30));
    server.faults.on('read', { kind: 'slow', ms: 0 }, 1);
    const { met } = server.faults.on('read', { kind: 'drop-after', events: 0, code: status.UNAVAILABLE });

    expect(await rejectionOf(readAll(store, stream))).to.be.instanceOf(StoreUnavailable);
    expect(met()).to.equal(2);
  });

  it('without an answer ends in time', async () => {
    server.faults.on('read', { kind: 'silence' });
    const tookMs = await ownTimeOf(async () => {
      expect(await rejectionOf(readAll(store, newStream()))).to.be.instanceOf(StoreUnavailable);
    });
    expect(tookMs).to.be.below(2 * DEADLINE_MS + 1_000);
  });

  it('gives positions beyond the numbers of JavaScript as they are', async () => {
    const far = await logs.startDouble({ ledger: createLedger({ firstPosition: 2n ** 60n + 1n }) });
    const { store: log } = await logs.open(far.url);
    const [stream, events] = [newStream(), newEvents(3)];
    const { position } = await append(log, stream, NO_STREAM, events);
    const recorded = await readAll(log, stream);
    const pages = await pagesUntil(
      log,
      { after: recorded[0]?.position ?? null },
      (taken) => taken.length === 2,
    );

    expect(recorded.at(-1)?.position).to.equal(position);
    expect(await log.head()).to.equal(position);
    expect(recorded.map((event) => event.position)).to.satisfy(isRising);
    expect(eventsOf(pages)).to.deep.equal(recorded.slice(1));
  });

  const foreign: readonly (readonly [string, Partial<ProposedEvent>])[] = [
    ['without our envelope', {}],
    ['whose data are not JSON', { isJson: false }],
    ['whose data are broken', { data: Buffer.from('{"a":') }],
    ['whose data are no object', { data: Buffer.from('42'), metadata: envelope({ version: 1 }) }],
    ['whose envelope has no number for its version', { metadata: envelope({ version: 'one' }) }],
  ];
  for (const [what, overrides] of foreign) {
    it(`stops at an event ${what}, and names it`, async () => {
      const stream = newStream();
      await append(store, stream, NO_STREAM, newEvents(2));
      server.ledger.store(PREFIX + stream, [{ ...systemEvent('Happened', {}), ...overrides }]);

      expect(await rejectionOf(readAll(store, stream)))
        .to.be.instanceOf(Error)
        .with.property('message')
        .that.contains(`event 2 of the stream ${PREFIX}${stream}`);
    });
  }
});

function envelope(overrides: object): Uint8Array {
  const meta = { actor: 'cli', requestId: 'req-1', commandId: 'command-1' };
  return Buffer.from(JSON.stringify({ at: '2026-11-27T12:00:00.000Z', meta, ...overrides }));
}
