import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { collect, errorOf, event, events, placeOf, WAYS } from './client-of.ts';
import { type EventStoreCluster, startEventStoreCluster } from './cluster.ts';

const THE_LEADER = { requiresLeader: true };

describe('a cluster of EventStoreDB', () => {
  let cluster: EventStoreCluster;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    cluster = await startEventStoreCluster(3);
  });
  afterEach(async () => {
    await client.dispose();
    await cluster.stop();
  });
  const appendsAt = (index: number): number => {
    const { calls } = cluster.nodes[index]!.stats();
    return calls.append + calls.batchAppend;
  };

  it('tells who leads, to who asks one node or any of them', async () => {
    cluster.elect(2);
    for (const url of [cluster.url, cluster.discoverUrl]) {
      client = EventStoreDBClient.connectionString(url);
      await client.appendToStream('s', events(1));
      await client.dispose();
    }

    expect([0, 1, 2].map(appendsAt)).to.deep.equal([0, 0, 2]);
  });

  // Source: LeaderInfo in RpcExceptions.cs; the trailers are what the client finds the leader by.
  for (const [way, options] of Object.entries(WAYS)) {
    it(`refuses a ${way} that insists on the leader, names the leader, and the client goes there`, async () => {
      client = EventStoreDBClient.connectionString(cluster.url);
      // All batch appends of a client share the call that the first one made, and what it asked for.
      await client.appendToStream('s', events(1), { ...THE_LEADER, ...options });
      cluster.elect(1);
      const next = event();

      const append = () =>
        client.appendToStream('s', next, { expectedRevision: 0n, ...THE_LEADER, ...options });
      expect(await errorOf(append())).to.deep.include({
        type: 'not-leader',
        leader: { address: '127.0.0.1', port: cluster.nodes[1]!.port },
      });
      expect((await append()).nextExpectedRevision).to.equal(1n);

      expect(appendsAt(1)).to.equal(1);
    });
  }

  it('lets a follower pass writes on and serve reads, for who does not insist', async () => {
    client = EventStoreDBClient.connectionString(`${cluster.url}&nodePreference=follower`);
    const same = event();

    const result = await client.appendToStream('s', same, { expectedRevision: NO_STREAM });

    expect(await collect(client.readStream('s'))).to.have.length(1);
    expect(appendsAt(0)).to.equal(0);
    cluster.elect(1);
    expect(placeOf(await client.appendToStream('s', same, { expectedRevision: NO_STREAM }))).to.equal(
      placeOf(result),
    );
  });

  it('refuses reads and subscriptions that insist on the leader', async () => {
    const follower = cluster.nodes[1]!;
    client = EventStoreDBClient.connectionString(follower.url);

    for (const call of [
      () => collect(client.readAll(THE_LEADER)),
      () => collect(client.subscribeToAll(THE_LEADER)),
    ]) {
      expect(await errorOf(call())).to.include({ type: 'not-leader' });
      await client.dispose();
      client = EventStoreDBClient.connectionString(follower.url);
    }
  });

  it('goes on with the nodes that are left', async () => {
    client = EventStoreDBClient.connectionString(cluster.url);
    await client.appendToStream('s', events(1));
    cluster.elect(1);
    await cluster.nodes[0]!.stop();

    await until('the client has found the new leader', () =>
      client.appendToStream('s', events(1), { credentials: { username: 'any', password: 'body' } }).then(
        () => true,
        () => false,
      ),
    );

    expect(appendsAt(1)).to.equal(1);
  });

  it('has no leader once that is killed, until another is elected, and takes the killed one back as a follower', async () => {
    client = EventStoreDBClient.connectionString(cluster.nodes[1]!.url);
    await client.appendToStream('s', events(1));
    await cluster.kill(0);

    expect(await errorOf(collect(client.readStream('s')))).to.include({ type: 'unavailable' });
    cluster.elect(1);
    expect(await collect(client.readStream('s'))).to.have.length(1);
    await cluster.restart(0);

    const again = EventStoreDBClient.connectionString(cluster.nodes[0]!.url);
    expect(await errorOf(collect(again.readAll(THE_LEADER)))).to.include({ type: 'not-leader' });
    await again.dispose();
  });
});
