import { ANY, type EventStoreDBClient, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { collect, errorOf, event, events, placeOf, WAYS } from './client-of.ts';
import type { EventStoreDouble } from './double.ts';
import { createLedger } from './ledger.ts';
import { startWithClient } from './with-client.ts';

for (const [way, options] of Object.entries(WAYS)) {
  // Source: CheckCommit in EventStore.Core/Services/Storage/ReaderIndex/IndexWriter.cs unless it says otherwise.
  describe(`EventStoreDB by ${way}`, () => {
    let server: EventStoreDouble;
    let client: EventStoreDBClient;
    let stop: () => Promise<void>;
    beforeEach(async () => {
      ({ server, client, stop } = await startWithClient());
    });
    afterEach(() => stop());

    const appendAfter = (
      expectedRevision: bigint | typeof NO_STREAM | typeof ANY | typeof STREAM_EXISTS,
      what: ReturnType<typeof events>,
      stream = 's',
    ) => client.appendToStream(stream, what, { expectedRevision, ...options });
    const typesIn = async (stream = 's') =>
      (await collect(client.readStream(stream))).map(({ event: read }) => read?.type);

    it('answers with the place of the last event, and gives each a place after the one before', async () => {
      const result = await appendAfter(NO_STREAM, events(3));

      const read = await collect(client.readStream('s'));
      const places = read.map(({ event: recorded }) => recorded?.position);
      expect(result).to.deep.equal({ success: true, nextExpectedRevision: 2n, position: places[2] });
      for (const place of places) expect(place?.commit).to.equal(place?.prepare);
      expect(places[1]!.commit - places[0]!.commit > 1n, 'positions are bytes').to.be.true;
      expect(places[2]!.commit > places[1]!.commit).to.be.true;
    });

    it('answers the identical append with the first outcome for ever, and writes nothing', async () => {
      const same = events(2);
      const first = await appendAfter(NO_STREAM, same);
      await appendAfter(1n, events(3));
      const later = events(1);
      const second = await appendAfter(4n, later);
      await appendAfter(5n, events(1));

      expect(placeOf(await appendAfter(NO_STREAM, same))).to.equal(placeOf(first));
      expect(placeOf(await appendAfter(4n, later))).to.equal(placeOf(second));
      expect(await typesIn()).to.have.length(7);
    });

    it('takes the first few events of an append as that append, up to the last of them', async () => {
      const [one, two, three] = events(3);
      await appendAfter(NO_STREAM, [one!, two!, three!]);

      const result = await appendAfter(NO_STREAM, [one!, two!]);

      const [, second] = await collect(client.readStream('s'));
      expect(placeOf(result)).to.equal(`1@${second?.event?.position?.commit}`);
    });

    it('compares ids, not bodies', async () => {
      const original = event('Original');
      const first = await appendAfter(NO_STREAM, [original]);

      const result = await appendAfter(NO_STREAM, [
        { ...original, type: 'Other', data: { not: 'the same' } },
      ]);

      expect(placeOf(result)).to.equal(placeOf(first));
      expect(await typesIn()).to.deep.equal(['Original']);
    });

    it('refuses ids that match only in part, or run over the end, and says where the stream stands', async () => {
      const [one, two] = events(2);
      await appendAfter(NO_STREAM, [one!, two!]);

      for (const wrong of [[event()], [one!, event()], [one!, two!, event()]]) {
        const error = await errorOf(appendAfter(NO_STREAM, wrong));
        expect(error).to.include({ type: 'wrong-expected-version', actualVersion: 1n, streamName: 's' });
      }
      expect(await typesIn()).to.have.length(2);
    });

    it('compares nothing at the head: the same id is written a second time', async () => {
      const same = event('Twice');
      await appendAfter(NO_STREAM, [same]);

      await appendAfter(0n, [same]);

      expect(await typesIn()).to.deep.equal(['Twice', 'Twice']);
    });

    it('refuses a revision beyond the head, also of a stream that does not exist', async () => {
      await appendAfter(NO_STREAM, events(1));

      const beyond = await errorOf(appendAfter(7n, events(1)));
      expect(beyond).to.include({ expectedVersion: 7n, actualVersion: 0n });
      const missing = await errorOf(appendAfter(0n, events(1), 'missing'));
      expect(missing).to.include({ expectedVersion: 0n, actualVersion: 'no_stream' });
      const unwritten = await errorOf(appendAfter(STREAM_EXISTS, events(1), 'missing'));
      expect(unwritten).to.include({ expectedVersion: 'stream_exists', actualVersion: 'no_stream' });
    });

    it('without a revision remembers ids only until it is restarted', async () => {
      const same = event('Perhaps twice');
      await appendAfter(ANY, [same]);
      await appendAfter(ANY, [same]);
      expect(await typesIn()).to.have.length(1);

      expect(await errorOf(appendAfter(ANY, [same, event()]))).to.include({ actualVersion: 0n });

      const restarted = await startWithClient({ ledger: server.ledger });
      await restarted.client.appendToStream('s', [same], options);
      await restarted.stop();

      expect(await typesIn()).to.have.length(2);
    });

    it('takes 1,048,576 bytes of data, and not one more', async () => {
      const type = 'T';
      const bytesBesides = JSON.stringify({ text: '' }).length;
      const full = event(type, { text: 'x'.repeat(1_048_576 - bytesBesides) });
      const tooFull = event(type, { text: 'x'.repeat(1_048_577 - bytesBesides) });

      expect(await errorOf(appendAfter(NO_STREAM, [tooFull]))).to.include({
        type: 'maximum-append-size-exceeded',
        maxAppendSize: 1_048_576,
      });
      await appendAfter(NO_STREAM, [full]);
      const halves = [event(type, { text: 'x'.repeat(600_000) }), event(type, { text: 'x'.repeat(600_000) })];
      expect(await errorOf(appendAfter(0n, halves))).to.include({ type: 'maximum-append-size-exceeded' });
      expect(await typesIn()).to.deep.equal([type]);
    });

    it('writes nothing for who would not wait for it any longer', async () => {
      const late = client.appendToStream('s', events(1), { deadline: -1_000, ...options });

      expect(await errorOf(late)).to.include({ type: 'deadline-exceeded' });
      expect(server.ledger.stream('s')).to.deep.equal([]);
    });

    it('refuses a tombstoned stream for ever', async () => {
      await appendAfter(NO_STREAM, events(1));
      await client.tombstoneStream('s');

      for (const revision of [NO_STREAM, 0n, 1n, ANY] as const) {
        const error = await errorOf(appendAfter(revision, events(1)));
        expect(error).to.include({ type: 'stream-deleted', streamName: 's' });
      }
    });

    // Source: SoftUndeleteStream in StorageWriterService.cs.
    it('begins a deleted stream anew, its revisions going on', async () => {
      await appendAfter(NO_STREAM, events(2, 'Old'));
      await client.deleteStream('s');
      expect(await errorOf(collect(client.readStream('s')))).to.include({ type: 'stream-not-found' });

      await appendAfter(NO_STREAM, events(1, 'New'));

      const read = await collect(client.readStream('s'));
      expect(read.map(({ event: e }) => [e?.revision, e?.type])).to.deep.equal([[2n, 'New']]);
    });

    it('gives no place for a repetition of what is no longer to be read', async () => {
      const [gone, kept] = events(2);
      await appendAfter(NO_STREAM, [gone!]);
      await appendAfter(0n, [kept!]);
      await client.setStreamMetadata('s', { maxCount: 1 });

      expect(placeOf(await appendAfter(NO_STREAM, [gone!]))).to.equal('0@nowhere');
    });

    it('keeps all of it in a ledger that the next server goes on with', async () => {
      const same = events(1);
      const first = await appendAfter(NO_STREAM, same);
      await appendAfter(0n, events(1));
      await stop();

      const { ledger, port } = server;
      ({ server, client, stop } = await startWithClient({ ledger, port }));
      // The old connection is shared with the new client until it is known to be gone.
      await until('the new client has a connection of its own', () =>
        typesIn().then(
          () => true,
          () => false,
        ),
      );

      expect(placeOf(await appendAfter(NO_STREAM, same))).to.equal(placeOf(first));
      expect(await typesIn()).to.have.length(2);
    });

    it('gives positions that no floating-point number can hold', async () => {
      const ledger = createLedger({ firstPosition: 2n ** 60n });
      const far = await startWithClient({ ledger });

      const { position } = await far.client.appendToStream('s', events(1), options);

      const [read] = await collect(far.client.readStream('s'));
      expect(read?.event?.position).to.deep.equal(position);
      expect(BigInt(Number(position!.commit)) === position!.commit, 'a number would do').to.be.false;
      await far.stop();
    });
  });
}

describe('deletions of EventStoreDB', () => {
  let client: EventStoreDBClient;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    ({ client, stop } = await startWithClient());
  });
  afterEach(() => stop());

  // Source: IHandle<StorageMessage.WriteDelete> in StorageWriterService.cs.
  it('are refused at another revision, and of a stream that is not there', async () => {
    await client.appendToStream('s', events(2));

    const wrong = await errorOf(client.deleteStream('s', { expectedRevision: 0n }));
    expect(wrong).to.include({ type: 'wrong-expected-version', actualVersion: 1n });
    const missing = await errorOf(client.deleteStream('missing'));
    expect(missing).to.include({ type: 'wrong-expected-version' });
    expect(await client.deleteStream('s', { expectedRevision: 1n })).to.have.property('position');
    expect(await client.tombstoneStream('s')).to.have.property('position');
  });
});
