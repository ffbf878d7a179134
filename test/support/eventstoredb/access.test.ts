import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { clientOf, collect, errorOf, events } from './client-of.ts';
import { type EventStoreDouble, startEventStoreDouble } from './double.ts';
import { systemEvent } from './ledger.ts';

const CREDENTIALS = { username: 'bourse', password: 'p@ss:wörd/?&', isAdmin: true };

// Source: AuthenticationMiddleware.cs, and the defaults of 23.10 (pull request 3905: no anonymous access).
describe('EventStoreDB that asks for credentials', () => {
  let server: EventStoreDouble;
  const clients: EventStoreDBClient[] = [];
  const clientAt = (url: string): EventStoreDBClient => {
    const client = EventStoreDBClient.connectionString(url);
    clients.push(client);
    return client;
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.dispose();
    await server.stop();
  });
  const begin = async (isAdmin = true): Promise<void> => {
    server = await startEventStoreDouble({ credentials: { ...CREDENTIALS, isAdmin } });
  };

  it('serves who brings them, over TLS', async () => {
    await begin();
    const client = clientOf(server);
    clients.push(client);

    await client.appendToStream('s', events(1));
    await client.appendToStream('s', events(1), { credentials: CREDENTIALS });

    expect(await collect(client.readStream('s'))).to.have.length(2);
  });

  it('refuses who brings wrong ones, whatever they ask for', async () => {
    await begin();
    const client = clientAt(server.url.replace(/:\/\/[^@]*@/, '://bourse:wrong@'));

    for (const call of [
      () => client.appendToStream('s', events(1)),
      () => client.appendToStream('s', events(1), { credentials: { username: 'bourse', password: 'wrong' } }),
      () => collect(client.readStream('s')),
      () => collect(client.subscribeToAll()),
      () => client.deleteStream('s'),
    ]) {
      expect(await errorOf(call())).to.include({ type: 'access-denied', code: 16 });
    }
  });

  it('refuses who brings none', async () => {
    await begin();
    const client = clientAt(server.url.replace(/:\/\/[^@]*@/, '://'));

    // A batch append is refused by an answer, which has no status code.
    expect(await errorOf(client.appendToStream('s', events(1)))).to.include({ type: 'access-denied' });
    for (const call of [() => collect(client.readStream('s')), () => collect(client.readAll())]) {
      expect(await errorOf(call())).to.include({ type: 'access-denied', code: 7 });
    }
  });

  it('shows $all to administrators only', async () => {
    await begin(false);
    const client = clientOf(server);
    clients.push(client);

    await client.appendToStream('s', events(1));

    expect(await collect(client.readStream('s'))).to.have.length(1);
    expect(await errorOf(collect(client.readAll()))).to.include({ type: 'access-denied', code: 7 });
    expect(await errorOf(collect(client.subscribeToAll()))).to.include({ type: 'access-denied' });
  });

  it('has nothing to say to who comes without TLS', async () => {
    await begin();
    const client = clientAt(`esdb://localhost:${server.port}?tls=false`);

    expect(await errorOf(client.appendToStream('s', events(1)))).to.include({ code: 14 });
  });

  it('cannot be trusted by who does not know its authority', async () => {
    await begin();
    const client = clientAt(server.url.replace(/\?.*/, ''));

    const error = await errorOf(client.appendToStream('s', events(1)));

    expect(error).to.include({ code: 14 });
    expect(error['message']).to.match(/self-signed certificate/);
  });
});

describe('EventStoreDB, of a user who is no administrator,', () => {
  const USER = { username: 'bourse', password: 'secret', isAdmin: false };
  const ADMINISTRATOR = { credentials: { username: 'admin', password: 'changeit' } };
  let server: EventStoreDouble;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    server = await startEventStoreDouble({ credentials: USER });
    client = clientOf(server);
  });
  afterEach(async () => {
    await client.dispose();
    await server.stop();
  });
  const settings = (acl: object): unknown =>
    server.ledger.store('$settings', [systemEvent('update-default-acl', acl)]);
  const isDenied = async (call: Promise<unknown>): Promise<void> =>
    void expect(await errorOf(call)).to.include({ type: 'access-denied' });

  it('lets it do all with streams, and nothing with the server’s own', async () => {
    await client.appendToStream('s', events(1));
    await client.setStreamMetadata('s', { maxCount: 5 });
    expect(await collect(client.readStream('s'))).to.have.length(1);
    await client.deleteStream('s');

    await isDenied(collect(client.readAll()));
    await isDenied(collect(client.subscribeToAll()));
    await isDenied(client.appendToStream('$mine', events(1)));
  });

  it('lets it read all when the metadata of $all, or the settings, say so', async () => {
    await client.setStreamMetadata('$all', { acl: { readRoles: ['somebody', 'bourse'] } }, ADMINISTRATOR);
    expect(await collect(client.readAll())).to.not.be.empty;

    await client.setStreamMetadata('$all', {}, ADMINISTRATOR);
    await isDenied(collect(client.readAll()));
    settings({ $systemStreamAcl: { $r: 'bourse' } });
    expect(await collect(client.readAll())).to.not.be.empty;
  });

  for (const [right, role, call] of [
    ['to read', 'readRoles', () => collect(client.readStream('s'))],
    ['to write', 'writeRoles', () => client.appendToStream('s', events(1))],
    [
      'to write in a call of its own',
      'writeRoles',
      () => client.appendToStream('s', events(1), { credentials: USER }),
    ],
    ['to delete', 'deleteRoles', () => client.deleteStream('s')],
    ['to read the metadata', 'metaReadRoles', () => client.getStreamMetadata('s')],
    ['to write the metadata', 'metaWriteRoles', () => client.setStreamMetadata('s', { maxCount: 5 })],
  ] as const) {
    it(`withdraws the right ${right} by the metadata of a stream`, async () => {
      await client.appendToStream('s', events(1));
      await client.setStreamMetadata('s', { acl: { [role]: ['somebody'] } }, ADMINISTRATOR);
      await isDenied(call());

      await client.setStreamMetadata('s', { acl: { [role]: 'bourse' } }, ADMINISTRATOR);
      await call();
    });
  }

  it('withdraws rights to all streams by the settings, and gives them back by a stream’s own', async () => {
    await client.appendToStream('s', events(1));
    settings({ $userStreamAcl: { $w: '$admins', $mw: ['$admins'] } });

    await isDenied(client.appendToStream('s', events(1)));
    await isDenied(client.setStreamMetadata('s', {}));
    expect(await collect(client.readStream('s'))).to.have.length(1);
    await client.setStreamMetadata('s', { acl: { writeRoles: ['$all'] } }, ADMINISTRATOR);
    await client.appendToStream('s', events(1));
  });
});
