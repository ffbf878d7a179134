/** Opening the views in MongoDB where that cannot be: one clear line each, in time, and nothing secret in it. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { openMongoViewStore } from '../../../infra/mongodb/view-store.ts';
import { ViewsUnavailable } from '../../../projections/view-store.ts';
import { startMongoImpostor } from '../../support/mongodb-impostor.ts';
import { startMongo, withDatabase, withOwnMongo } from '../../support/mongodb-server.ts';
import { rejectionOf } from '../../support/rejection.ts';

const SECRET = 'hunter2';

async function refusalOf(url: string): Promise<string> {
  const error = await rejectionOf(openMongoViewStore({ url, deadlineMs: 1_000 }));
  if (!(error instanceof ViewsUnavailable)) throw error;
  expect(error.message).not.to.match(new RegExp(`${SECRET}|\\n`));
  return error.message;
}

describe('MongoDB views that cannot be opened', () => {
  it('say that nobody listens there', async () => {
    expect(await refusalOf(`mongodb://me:${SECRET}@127.0.0.1:1/views`)).to.equal(
      'MongoDB at 127.0.0.1:1/views cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('say that there is no such host', async () => {
    const message = await refusalOf(`mongodb://me:${SECRET}@no-such-host.invalid/`);
    expect(message).to.match(
      /^MongoDB at no-such-host\.invalid:27017\/bourse cannot be used: getaddrinfo E\w+ /,
    );
    const looked = await refusalOf(`mongodb+srv://me:${SECRET}@no.such-host.invalid/`);
    expect(looked).to.match(/^MongoDB at no\.such-host\.invalid\/bourse cannot be used: querySrv E\w+ /);
  });

  it('say that the address is none', async () => {
    for (const url of [
      `http://me:${SECRET}@127.0.0.1/`,
      `mongodb://me:${SECRET}@@127.0.0.1/`,
      `mongodb://me:${SECRET}@127.0.0.1/?mood=good`,
      SECRET,
    ]) {
      expect(await refusalOf(url)).to.match(/^the address of MongoDB is not like mongodb:\/\//);
    }
    for (const database of ['a.b', 'a b', '$', 'x'.repeat(64)]) {
      expect(await refusalOf(`mongodb://me:${SECRET}@127.0.0.1/${database}`)).to.match(/^the database /);
    }
  });

  it('say that the server gives no answer', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address() as { readonly port: number };
    for (const [query, over] of [
      ['', ''],
      ['?tls=true', ' over TLS'],
    ]) {
      expect(await refusalOf(`mongodb://me:${SECRET}@127.0.0.1:${address.port}/views${query}`)).to.equal(
        `MongoDB at 127.0.0.1:${address.port}/views cannot be used: it gives no answer${over}`,
      );
    }
    silent.close();
  });

  it('say that the server wants no TLS, or wants it', async () => {
    const closing = createServer((socket) => void socket.once('data', () => socket.destroy())).listen(
      0,
      '127.0.0.1',
    );
    await once(closing, 'listening');
    const address = closing.address() as { readonly port: number };
    const url = `mongodb://me:${SECRET}@127.0.0.1:${address.port}/`;
    expect(await refusalOf(url)).to.match(/cannot be used: it closes the connection: perhaps it wants TLS$/);
    expect(await refusalOf(`${url}?tls=true`)).to.match(/cannot be used: .* before secure TLS connection/);
    closing.close();
  });

  for (const [version, wire] of [
    ['5.0', 13],
    ['4.2', 8],
  ] as const) {
    it(`say that a server of MongoDB ${version} is too old`, async () => {
      const old = await startMongoImpostor(wire);
      expect(await refusalOf(old.url)).to.match(new RegExp(`wire version ${wire},.* \\(MongoDB \\d`));
      await old.close();
    });
  }
});

withOwnMongo('MongoDB views behind a password', () => {
  it('can be opened with the right one only', async () => {
    const user = ['--setup-username=me', `--setup-password=${SECRET}`, '--setup-database=admin'];
    const server = await startMongo(['--test-enable-new-auth', ...user]);
    const as = (login: string) =>
      withDatabase(server.url.replace('//', `//${login}`), 'views?authSource=admin');
    expect(await refusalOf(as(`me:not-${SECRET}@`))).to.match(
      /cannot be used: it does not know this user or password$/,
    );
    expect(await refusalOf(as(''))).to.match(/cannot be used: .*requires authentication/);
    const store = await openMongoViewStore({ url: as(`me:${SECRET}@`) });
    expect(await store.status()).to.deep.equal([]);
    await store.close();
    await server.close();
  });
});
