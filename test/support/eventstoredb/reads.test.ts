import { BACKWARDS, END, type EventStoreDBClient, FORWARDS, START } from '@eventstore/db-client';
import { expect } from 'chai';
import { collect, errorOf, event, events } from './client-of.ts';
import type { EventStoreDouble } from './double.ts';
import { systemEvent } from './ledger.ts';
import { startWithClient } from './with-client.ts';

// Source: EventStore.Core/Services/Storage/ReaderIndex/IndexReader.cs and Enumerator.ReadStream*.cs.
describe('a read of a stream of EventStoreDB', () => {
  let client: EventStoreDBClient;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    ({ client, stop } = await startWithClient());
  });
  afterEach(() => stop());
  const revisions = async (options: Parameters<typeof client.readStream>[1] = {}) =>
    (await collect(client.readStream('s', options))).map((resolved) => Number(resolved.event?.revision));
  const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

  it('gives every page of it in order, from where it is asked to, that one included', async () => {
    await client.appendToStream('s', events(100));

    expect(await revisions()).to.deep.equal(from(0, 100));
    expect(await revisions({ fromRevision: 40n, maxCount: 50 })).to.deep.equal(from(40, 50));
    expect(await revisions({ direction: BACKWARDS, fromRevision: END })).to.deep.equal(
      from(0, 100).reverse(),
    );
    expect(await revisions({ direction: BACKWARDS, fromRevision: 40n, maxCount: 35 })).to.deep.equal(
      from(6, 35).reverse(),
    );
  });

  it('gives nothing beyond the end, and from there down all that is there', async () => {
    await client.appendToStream('s', events(2));

    expect(await revisions({ fromRevision: 7n })).to.deep.equal([]);
    expect(await revisions({ fromRevision: 7n, direction: BACKWARDS })).to.deep.equal([1, 0]);
  });

  it('gives the events as they were appended', async () => {
    const original = {
      ...event('Told', { text: 'ä€😀', list: [1, null, { deep: true }] }),
      metadata: { why: 'because' },
    };
    await client.appendToStream('s', original);

    const [read] = await collect(client.readStream('s'));

    const { id, type, data, metadata, isJson, streamId, created } = read!.event!;
    expect({ id, type, data, metadata, isJson, streamId }).to.deep.equal({
      id: original.id,
      type: original.type,
      data: original.data,
      metadata: original.metadata,
      isJson: true,
      streamId: 's',
    });
    expect(created).to.be.instanceOf(Date);
    expect(Math.abs(created.getTime() - Date.now())).to.be.lessThan(60_000);
  });

  it('says of a stream without events that there is none', async () => {
    expect(await errorOf(revisions())).to.include({ type: 'stream-not-found', streamName: 's' });
  });

  it('says of a tombstoned stream that it is deleted', async () => {
    await client.appendToStream('s', events(1));
    await client.tombstoneStream('s');

    expect(await errorOf(revisions())).to.include({ type: 'stream-deleted', streamName: 's' });
  });

  it('hides what its metadata truncates, which $all goes on showing', async () => {
    await client.appendToStream('s', events(5));
    await client.setStreamMetadata('s', { maxCount: 2 });
    expect(await revisions()).to.deep.equal([3, 4]);
    expect(await revisions({ direction: BACKWARDS, fromRevision: END })).to.deep.equal([4, 3]);

    await client.setStreamMetadata('s', { truncateBefore: 4 });
    expect(await revisions()).to.deep.equal([4]);

    await client.setStreamMetadata('s', { maxAge: 3600 });
    expect(await revisions()).to.deep.equal([0, 1, 2, 3, 4]);
    // A negative age lies in the future: everything is older.
    await client.setStreamMetadata('s', { maxAge: -3600 });
    expect(await revisions()).to.deep.equal([]);

    const all = await collect(client.readAll());
    expect(all.filter((resolved) => resolved.event?.streamId === 's')).to.have.length(5);
  });
});

// Source: EventStore.Core/Services/Storage/ReaderIndex/{AllReader,EventFilter}.cs, StorageReaderWorker.cs.
describe('a read of $all of EventStoreDB', () => {
  let server: EventStoreDouble;
  let client: EventStoreDBClient;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    ({ server, client, stop } = await startWithClient());
  });
  afterEach(() => stop());
  const streams = async (options: Parameters<typeof client.readAll>[0] = {}) =>
    (await collect(client.readAll(options))).map((resolved) => resolved.event?.streamId);

  it('gives every event in commit order, the server’s own among them', async () => {
    await client.appendToStream('a', events(1));
    server.ledger.store('$stats-127.0.0.1:2113', [systemEvent('$statsCollected', {})]);
    await client.appendToStream('b', events(40));

    const inOrder = ['$$$scavenges', 'a', '$stats-127.0.0.1:2113', ...Array.from({ length: 40 }, () => 'b')];
    expect(await streams()).to.deep.equal(inOrder);
    expect(await streams({ direction: BACKWARDS, fromPosition: END })).to.deep.equal(inOrder.reverse());
    expect(await streams({ maxCount: 2 })).to.deep.equal(['$$$scavenges', 'a']);
    expect(await streams({ direction: BACKWARDS, fromPosition: END, maxCount: 1 })).to.deep.equal(['b']);
  });

  it('hides what the server notes for itself', async () => {
    expect(server.ledger.log.map(({ stream }) => stream)).to.deep.equal([
      '$epoch-information',
      '$$$scavenges',
    ]);
    expect(await streams()).to.deep.equal(['$$$scavenges']);
  });

  it('begins with the event at a position going forwards, and before it going backwards', async () => {
    for (const stream of ['a', 'b', 'c']) await client.appendToStream(stream, events(1));
    const [, , second] = await collect(client.readAll());
    const fromPosition = second!.event!.position!;

    expect(await streams({ fromPosition })).to.deep.equal(['b', 'c']);
    expect(await streams({ fromPosition, direction: BACKWARDS })).to.deep.equal(['a', '$$$scavenges']);
    // A checkpoint has no prepare position: it lies before the event.
    const before = { commit: fromPosition.commit, prepare: 0n };
    expect(await streams({ fromPosition: before })).to.deep.equal(['b', 'c']);
    expect(await streams({ fromPosition: before, direction: BACKWARDS })).to.deep.equal([
      'a',
      '$$$scavenges',
    ]);
  });

  it('gives nothing from the end on, nor from the start down', async () => {
    await client.appendToStream('a', events(1));

    expect(await streams({ fromPosition: END })).to.deep.equal([]);
    expect(await streams({ fromPosition: START, direction: BACKWARDS })).to.deep.equal([]);
  });

  for (const [where, place] of [
    ['in the midst of a record, such as a number from another engine', 17n],
    ['beyond the end', 10n ** 15n],
  ] as const) {
    it(`refuses a position ${where}, either way`, async () => {
      await client.appendToStream('a', events(1));
      const fromPosition = { commit: place, prepare: place };
      const later = await startWithClient({ generation: '24.2', ledger: server.ledger });

      for (const direction of [FORWARDS, BACKWARDS] as const) {
        expect(await errorOf(streams({ fromPosition, direction }))).to.include({
          message: '2 UNKNOWN: Unexpected ReadAllResult: Error',
        });
        expect(await errorOf(collect(later.client.readAll({ fromPosition, direction })))).to.include({
          message: '2 UNKNOWN: Unexpected ReadAllResult: InvalidPosition',
        });
      }
      await later.stop();
    });
  }

  it('never answers one of no events', async () => {
    const read = client.readAll({ maxCount: 0 });
    let isAnswered = false;
    for (const sign of ['data', 'end', 'error', 'close']) read.once(sign, () => (isAnswered = true));

    for (let trips = 0; trips < 5; trips += 1) await client.getStreamMetadata('a-round-trip');

    expect(isAnswered).to.be.false;
    await read.cancel();
  });
});
