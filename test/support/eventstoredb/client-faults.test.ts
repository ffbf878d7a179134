/** What `@eventstore/db-client` 6.2.1 does wrong and infra/eventstoredb works around: one that fails here is mended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { clientOf, collect, errorOf, event, events, WAYS } from './client-of.ts';
import { type EventStoreDouble, startEventStoreDouble } from './double.ts';

describe('the client of EventStoreDB 6.2.1', () => {
  let server: EventStoreDouble;
  const clients: EventStoreDBClient[] = [];
  const clientAt = (url: string, deadlineMs?: number): EventStoreDBClient => {
    const client = clientOf({ url }, deadlineMs);
    clients.push(client);
    return client;
  };
  beforeEach(async () => {
    server = await startEventStoreDouble();
  });
  afterEach(async () => {
    server.faults.clear();
    for (const client of clients.splice(0)) await client.dispose();
    await server.stop();
  });

  it('shares a connection with every other client of the same address and options', async () => {
    const append = (url: string) => clientAt(url).appendToStream('s', events(1));

    await append(server.url);
    await append(server.url);
    expect(server.stats().connectionsEver).to.equal(1);

    await append(`${server.url}&keepAliveInterval=10001`);
    expect(server.stats().connectionsEver).to.equal(2);
  });

  it('closes no connection when it is disposed of', async () => {
    const client = clientAt(server.url);
    await client.appendToStream('s', events(1));

    await client.dispose();

    await clientAt(server.url).appendToStream('s', events(1));
    expect(server.stats()).to.include({ connectionsEver: 1, openConnections: 1 });
  });

  it('forgets the deadline of batch appends and reads, and keeps that of unary appends', async () => {
    const client = clientAt(server.url, 100);
    await client.appendToStream('s', events(1));
    for (const method of ['batchAppend', 'append'] as const) server.faults.on(method, { kind: 'silence' });
    server.faults.on('read', { kind: 'silence' });
    const settled: string[] = [];
    const watch = (what: string, call: Promise<unknown>): void => {
      const settle = (): void => void settled.push(what);
      call.then(settle, settle);
    };

    watch('batch append', client.appendToStream('s', events(1)));
    watch('read', collect(client.readStream('s', { deadline: 100 })));
    // Begun later, with the same deadline: when it is over, theirs is.
    const unary = errorOf(client.appendToStream('s', events(1), WAYS['unary append']));

    expect(await unary).to.include({ type: 'deadline-exceeded' });
    expect(settled).to.deep.equal([]);
  });

  it('rejects the pending batch appends of every client when the stream of one breaks', async () => {
    const other = await startEventStoreDouble();
    const [ours, theirs] = [clientAt(server.url), clientAt(other.url)];
    await theirs.appendToStream('s', events(1));
    const { met } = server.faults.on('batchAppend', { kind: 'held' });
    const pending = errorOf(ours.appendToStream('s', events(1)));
    await until('it is written', () => met() === 1);

    other.cutConnections();

    expect(await pending).to.include({ type: 'unavailable' });
    expect(server.ledger.stream('s')).to.have.length(1);
    await other.stop();
  });

  it('ends its process when a batch append is answered a second time', async () => {
    server.faults.on('batchAppend', { kind: 'doubled' });
    const script = fileURLToPath(new URL('./append-once.main.ts', import.meta.url));

    const child = spawn(process.execPath, ['--import', 'tsx', script, server.url], { timeout: 15_000 });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect(stderr).to.contain('TypeError: undefined is not iterable');
    expect(code).to.equal(1);
  });

  it('makes 1 of every revision that a refused batch append is answered with, unless it throws', async () => {
    await clientAt(server.url).appendToStream('s', events(5));
    const quiet = clientAt(`${server.url}&throwOnAppendFailure=false`);
    const refused = { expectedRevision: NO_STREAM } as const;

    expect(await quiet.appendToStream('s', event(), refused)).to.deep.include({
      success: false,
      nextExpectedRevision: 1n,
    });
    expect(await quiet.appendToStream('s', event(), { ...refused, ...WAYS['unary append'] })).to.deep.include(
      { success: false, nextExpectedRevision: 4n },
    );
  });

  it('asks for the leader only if its first batch append did', async () => {
    const client = clientAt(server.url);
    await client.appendToStream('s', events(1));
    server.follow({ host: '127.0.0.1', port: 1 });
    const insisting = { requiresLeader: true };

    await client.appendToStream('s', events(1), insisting);

    const unary = client.appendToStream('s', events(1), { ...insisting, ...WAYS['unary append'] });
    expect(await errorOf(unary)).to.include({ type: 'not-leader' });
  });
});
