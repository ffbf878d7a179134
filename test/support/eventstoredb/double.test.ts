import { EventStoreDBClient, jsonEvent, NO_STREAM, START, streamNameFilter } from '@eventstore/db-client';
import { expect } from 'chai';
import { startEventStoreDouble, type EventStoreDouble } from './double.ts';

describe('the double of EventStoreDB', () => {
  let server: EventStoreDouble;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    server = await startEventStoreDouble();
    client = EventStoreDBClient.connectionString(server.url);
  });
  afterEach(async () => {
    await client.dispose();
    await server.stop();
  });

  it('keeps what is appended, either way, and reads it back in order', async () => {
    const credentials = { username: 'takes', password: 'the unary way' };

    await client.appendToStream('s', jsonEvent({ type: 'A', data: { n: 1 } }), {
      expectedRevision: NO_STREAM,
    });
    await client.appendToStream('s', jsonEvent({ type: 'B', data: { n: 2 } }), {
      expectedRevision: 0n,
      credentials,
    });

    const read = [];
    for await (const { event } of client.readStream('s'))
      read.push([event?.revision, event?.type, event?.data]);
    expect(read).to.deep.equal([
      [0n, 'A', { n: 1 }],
      [1n, 'B', { n: 2 }],
    ]);
    const { calls } = server.stats();
    expect([calls.batchAppend, calls.append]).to.deep.equal([1, 1]);
  });

  it('gives a subscription what is there, says that it caught up, and goes on with what comes', async () => {
    await client.appendToStream('mine-1', jsonEvent({ type: 'A', data: {} }));
    await client.appendToStream('other', jsonEvent({ type: 'B', data: {} }));
    const seen: string[] = [];

    const filter = streamNameFilter({
      prefixes: ['mine-'],
      checkpointReached: async () => void seen.push('checkpoint'),
    });
    const subscription = client.subscribeToAll({ fromPosition: START, filter });
    subscription.on('confirmation', () => seen.push('confirmation'));
    subscription.on('caughtUp', () => {
      seen.push('caughtUp');
      void client.appendToStream('mine-2', jsonEvent({ type: 'C', data: {} }));
    });
    for await (const { event } of subscription) {
      seen.push(event?.type ?? '');
      if (event?.type === 'C') break;
    }
    await subscription.unsubscribe();

    expect(seen).to.deep.equal(['confirmation', 'A', 'checkpoint', 'caughtUp', 'C']);
  });
});
