/** Appends to a server that misbehaves: none is lost or doubled, each is answered in time, and nothing else suffers. */
import { status } from '@grpc/grpc-js';
import { expect } from 'chai';
import { type EventStore, NO_STREAM, OutcomeUnknown, StoreUnavailable } from '../../../events/event-store.ts';
import { append, appendStubbornly, idsOf, readAll } from '../../support/event-log.ts';
import type { EventStoreDouble } from '../../support/eventstoredb/double.ts';
import type { AnswerFault } from '../../support/eventstoredb/faults.ts';
import { systemEvent } from '../../support/eventstoredb/ledger.ts';
import { newEvents, newStream } from '../../support/new-event.ts';
import { ownTimeOf } from '../../support/own-time.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';
import { DEADLINE_MS, logsOn, PREFIX } from './logs-on.ts';

/** Two tries, and the pauses around them; of the time of this process alone, in which the server is too. */
const BOUND_MS = 2 * DEADLINE_MS + 1_000;

describe('An append to EventStoreDB', () => {
  const logs = logsOn();
  let server: EventStoreDouble;
  let store: EventStore;
  beforeEach(async () => {
    server = await logs.startDouble();
    ({ store } = await logs.open(server.url));
  });

  const passing: readonly (readonly [string, AnswerFault])[] = [
    ['is not looked at', { kind: 'silence' }],
    ['is written and not answered', { kind: 'effect-then-silence' }],
    ['is answered twice', { kind: 'doubled' }],
    ['is cut off before it is written', { kind: 'break' }],
    ['is cut off after it was written', { kind: 'effect-then-break' }],
    ['is given up by the server, which did not commit it', { kind: 'server-timeout', isCommitted: false }],
    [
      'is given up by the server, which commits it all the same',
      { kind: 'server-timeout', isCommitted: true },
    ],
    [
      'finds the server not ready',
      { kind: 'status', code: status.UNAVAILABLE, details: 'Server Is Not Ready' },
    ],
    ['meets a fault of the server', { kind: 'status', code: status.INTERNAL }],
    [
      'meets a fault of the server after it was written',
      { kind: 'effect-then-status', code: status.UNKNOWN },
    ],
  ];
  for (const [what, fault] of passing) {
    it(`that ${what} is written once, and so is what follows`, async () => {
      const stream = newStream();
      const [first, second] = [newEvents(3), newEvents(2)];
      const { met } = server.faults.on('batchAppend', fault, 1);
      const result = await append(store, stream, NO_STREAM, first);
      const next = await append(store, stream, result.revision, second);

      expect(met()).to.equal(1);
      expect([result.revision, next.revision]).to.deep.equal([2, 4]);
      const recorded = await readAll(store, stream);
      expect(idsOf(recorded)).to.deep.equal(idsOf([...first, ...second]));
      expect(recorded[2]?.position).to.equal(result.position);
    });
  }

  it('that is answered when nobody waits any more is written once, and the late answer does no harm', async () => {
    const [stream, events] = [newStream(), newEvents(2)];
    const { release } = server.faults.on('batchAppend', { kind: 'held' }, 1);
    const result = await append(store, stream, NO_STREAM, events);
    release();
    for (let revision = result.revision; revision < 4; revision += 1)
      await append(store, stream, revision, newEvents(1));

    expect(idsOf(await readAll(store, stream)).slice(0, 2)).to.deep.equal(idsOf(events));
    expect(await readAll(store, stream)).to.have.length(5);
  });

  it('of which nothing is heard at all may have been written: that is said, in time', async () => {
    const [stream, events] = [newStream(), newEvents(2)];
    server.faults.on('batchAppend', { kind: 'effect-then-silence' });
    server.faults.on('read', { kind: 'silence' });
    const tookMs = await ownTimeOf(async () => {
      expect(await rejectionOf(store.append(stream, NO_STREAM, events))).to.be.instanceOf(OutcomeUnknown);
    });
    expect(tookMs).to.be.below(BOUND_MS);

    server.faults.clear();
    expect(await store.append(stream, NO_STREAM, events)).to.include({ ok: true, revision: 1 });
    expect(idsOf(await readAll(store, stream))).to.deep.equal(idsOf(events));
  });

  it('is repeated once and no more, whatever goes wrong', async () => {
    const { met } = server.faults.on('batchAppend', { kind: 'break' });
    await rejectionOf(store.append(newStream(), NO_STREAM, newEvents(1)));

    expect(met()).to.equal(2);
  });

  for (const [code, details] of [
    [status.UNAVAILABLE, 'Server Is Too Busy'],
    [status.UNAVAILABLE, 'The node is not ready yet.'],
    [status.UNKNOWN, 'No leader info available in response'],
  ] as const)
    it(`that the server puts aside again and again ("${details}") was surely not written`, async () => {
      for (const call of ['batchAppend', 'append'] as const)
        server.faults.on(call, { kind: 'status', code, details });
      const refused = await rejectionOf(store.append(newStream(), NO_STREAM, newEvents(1)));

      expect(refused).to.be.instanceOf(StoreUnavailable);
      expect(refused).not.to.be.instanceOf(OutcomeUnknown);
    });

  it('that may have been written before the server went away is not said to be unwritten', async () => {
    server.faults.on('read', { kind: 'silence' });
    server.faults.on('batchAppend', { kind: 'effect-then-silence' }, 1);
    server.faults.on('batchAppend', {
      kind: 'status',
      code: status.UNAVAILABLE,
      details: 'Server Is Not Ready',
    });
    const failed = await rejectionOf(store.append(newStream(), NO_STREAM, newEvents(1)));

    expect(failed).to.be.instanceOf(OutcomeUnknown);
  });

  it('whose position is neither told nor to be read is not said to be unwritten', async () => {
    const [stream, events] = [newStream(), newEvents(2)];
    await append(store, stream, NO_STREAM, events);
    // The server tells no position of an event that an administrator has truncated.
    server.ledger.store(`$$${PREFIX}${stream}`, [systemEvent('$metadata', { $tb: 2 })]);
    server.faults.on('read', { kind: 'silence' });

    expect(await rejectionOf(store.append(stream, NO_STREAM, events))).to.be.instanceOf(OutcomeUnknown);
  });

  it('says what the server says of where the stream stands', async () => {
    const stream = newStream();
    server.faults.on('batchAppend', { kind: 'wrong-version', current: 41n }, 1);
    server.faults.on('batchAppend', { kind: 'wrong-version', current: -1n }, 1);

    expect(await store.append(stream, NO_STREAM, newEvents(1))).to.deep.equal({
      ok: false,
      actualRevision: 41,
    });
    expect(await store.append(stream, 7, newEvents(1))).to.deep.equal({ ok: false, actualRevision: -1 });
    expect(await readAll(store, stream)).to.deep.equal([]);
  });

  it('without a server is refused at once, and goes through as soon as the server is back', async () => {
    const [stream, events] = [newStream(), newEvents(1)];
    await append(store, stream, NO_STREAM, events);
    await server.stop();
    const tookMs = await ownTimeOf(async () => {
      for (let i = 0; i < 5; i += 1) await rejectionOf(store.append(stream, 0, newEvents(1)));
      expect(await rejectionOf(store.append(stream, 0, newEvents(1)))).to.be.instanceOf(StoreUnavailable);
    });
    expect(tookMs).to.be.below(6 * BOUND_MS);

    server = await logs.startDouble({ ledger: server.ledger, port: server.port });
    server.ledger.forgetIds();
    await until('an append goes through', () => isAnswered(store.append(stream, NO_STREAM, events)));
    expect(await store.append(stream, NO_STREAM, events)).to.include({ ok: true, revision: 0 });
    expect(await append(store, stream, 0, newEvents(1))).to.include({ revision: 1 });
  });

  it('is refused without a try while the server cannot be reached, and leaves no connections behind', async () => {
    await append(store, newStream(), NO_STREAM, newEvents(1));
    await server.stop();
    await rejectionOf(store.append(newStream(), NO_STREAM, newEvents(1)));
    for (let i = 0; i < 200; i += 1) await rejectionOf(store.append(newStream(), NO_STREAM, newEvents(1)));
    server = await logs.startDouble({ ledger: server.ledger, port: server.port });
    const tried = () => isAnswered(store.append(newStream(), NO_STREAM, newEvents(1)));
    await until('an append goes through', tried);

    // One looked whether somebody listens; one is used.
    expect(server.stats().connectionsEver).to.equal(2);
    expect(server.stats().openConnections).to.equal(1);
  });

  it('of which nothing is heard is looked for in its stream, and leaves the connection to others', async () => {
    const [stream, events] = [newStream(), newEvents(2)];
    const { connectionsEver } = server.stats();
    // As a server does that still replicates what it is asked for once more.
    const { met } = server.faults.on('batchAppend', { kind: 'effect-then-silence' });
    expect(await append(store, stream, NO_STREAM, events)).to.include({ revision: 1 });
    expect(met()).to.equal(1);
    expect(server.stats().connectionsEver).to.equal(connectionsEver);
  });

  it('of which nothing is heard finds in the stream that others wrote first', async () => {
    const stream = newStream();
    await append(store, stream, NO_STREAM, newEvents(3));
    server.faults.on('batchAppend', { kind: 'silence' });
    expect(await store.append(stream, 0, newEvents(1))).to.deep.equal({ ok: false, actualRevision: 2 });
  });

  it('of two at once is not said to be undone where a leader steps down with both', async () => {
    await append(store, newStream(), NO_STREAM, newEvents(1));
    const other = await logs.startDouble();
    server.faults.on('read', { kind: 'silence' });
    const held = server.faults.on('batchAppend', { kind: 'effect-then-silence' }, 1);
    const before = rejectionOf(store.append(newStream(), NO_STREAM, newEvents(1)));
    await until('it is written', () => held.met() === 1);
    const leader = { host: '127.0.0.1', port: other.port };
    server.faults.on('batchAppend', { kind: 'not-leader', leader });
    other.faults.on('batchAppend', { kind: 'not-leader', leader });
    await rejectionOf(store.append(newStream(), NO_STREAM, newEvents(1)));
    expect(await before).to.be.instanceOf(OutcomeUnknown);
  });

  it('or a read that is wanted sooner than a call may take has ended by then, and leaves the line alone', async () => {
    await append(store, newStream(), NO_STREAM, newEvents(1));
    const { connectionsEver } = server.stats();
    const { store: patient } = await logs.open(server.url, PREFIX, 20_000);
    server.faults.on('read', { kind: 'silence' });
    server.faults.on('batchAppend', { kind: 'silence' });
    const soon = patient.within?.(performance.now() + DEADLINE_MS);
    if (soon === undefined) throw new Error('calls to a server take time');
    const tookMs = await ownTimeOf(async () => {
      const [read, written] = await Promise.all([
        rejectionOf(readAll(soon, newStream())),
        rejectionOf(soon.append(newStream(), NO_STREAM, newEvents(1))),
      ]);
      expect(read).to.be.instanceOf(StoreUnavailable);
      expect(written).to.be.instanceOf(OutcomeUnknown);
      expect(await rejectionOf(soon.head())).to.be.instanceOf(StoreUnavailable);
    });
    expect(tookMs).to.be.below(BOUND_MS);
    server.faults.clear();
    await append(patient, newStream(), NO_STREAM, newEvents(1));
    expect(server.stats().connectionsEver).to.equal(connectionsEver + 1);
  });

  it('that the user may no longer make is told of with the right, and is not ready', async () => {
    await store.checkWritable?.();
    const denied = { kind: 'status', code: status.PERMISSION_DENIED } as const;
    const { off } = server.faults.on('batchAppend', denied);
    for (const asked of [store.checkWritable?.(), store.append('mandate-1', NO_STREAM, newEvents(1))])
      expect(await rejectionOf(Promise.resolve(asked)))
        .to.be.instanceOf(StoreUnavailable)
        .with.property('message')
        .that.contains('the right $w is missing');
    off();
    await store.checkWritable?.();
  });

  it('goes over a new connection where the old one has fallen silent', async () => {
    await append(store, newStream(), NO_STREAM, newEvents(1));
    const { connectionsEver } = server.stats();
    server.faults.on('read', { kind: 'silence' }, 1);
    await readAll(store, newStream());
    await append(store, newStream(), NO_STREAM, newEvents(1));

    expect(server.stats().connectionsEver).to.equal(connectionsEver + 1);
    await until('the silent connection is closed', () => server.stats().openConnections === 1);
  });

  it('does not fail with the connection of another log in the same process', async () => {
    const other = await logs.startDouble();
    const { store: elsewhere } = await logs.open(other.url);
    await append(elsewhere, newStream(), NO_STREAM, newEvents(1));
    const [stream, events] = [newStream(), newEvents(1)];
    const { met, release } = server.faults.on('batchAppend', { kind: 'held' });
    const pending = append(store, stream, NO_STREAM, events);
    await until('it is written', () => met() === 1);
    other.cutConnections();
    await append(elsewhere, newStream(), NO_STREAM, newEvents(1));
    release();

    expect(await pending).to.include({ revision: 0 });
    expect(met()).to.equal(1);
  });

  it('of many writers is neither lost nor doubled while connections are cut', async () => {
    const streams = Array.from({ length: 8 }, newStream);
    let isDone = false;
    const writing = Promise.all(streams.map((stream) => appendStubbornly(store, stream, 40)));
    void writing.finally(() => (isDone = true));
    for (let cuts = 0; !isDone; cuts += 1) {
      server.cutConnections();
      const before = server.stats().calls.batchAppend;
      await until('something gets through', () => isDone || server.stats().calls.batchAppend > before + 20);
    }
    const written = await writing;

    for (const [i, stream] of streams.entries())
      expect(idsOf(await readAll(store, stream))).to.deep.equal(written[i]);
  });
});

async function isAnswered(appending: Promise<unknown>): Promise<boolean> {
  return appending.then(
    () => true,
    () => false,
  );
}
