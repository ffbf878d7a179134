/** Opening the views in MongoDB where that cannot be: one clear line each, in time, and nothing secret in it. */
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { openMongoViewStore } from '../../../infra/mongodb/view-store.ts';
import { ViewsUnavailable } from '../../../projections/view-store.ts';
import { selfSigned } from '../../support/eventstoredb/certificate.ts';
import { startMongoImpostor } from '../../support/mongodb-impostor.ts';
import { startMongo, withDatabase, withOwnMongo } from '../../support/mongodb-server.ts';
import { listenAnywhere } from '../../support/ports.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const SECRET = 'hunter2';

async function addressOf(server: Server): Promise<string> {
  return `mongodb://me:${SECRET}@127.0.0.1:${await listenAnywhere(server)}/`;
}

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
    const silent = createServer(() => {});
    const port = await listenAnywhere(silent);
    for (const [query, over] of [
      ['', ''],
      ['?tls=true', ' over TLS'],
    ]) {
      expect(await refusalOf(`mongodb://me:${SECRET}@127.0.0.1:${port}/views${query}`)).to.equal(
        `MongoDB at 127.0.0.1:${port}/views cannot be used: it gives no answer${over}`,
      );
    }
    silent.close();
  });

  it('say that the server wants no TLS, or wants it', async () => {
    const closing = createServer((socket) => void socket.once('data', () => socket.destroy()));
    const url = await addressOf(closing);
    expect(await refusalOf(url)).to.match(/: it closes the connection: perhaps it wants TLS, or /);
    expect(await refusalOf(`${url}?tls=true`)).to.match(/cannot be used: .* before secure TLS connection/);
    closing.close();
  });

  it('say that something else answers, or that its certificate is not trusted', async () => {
    const hello = (_: unknown, response: ServerResponse): void => void response.end('hello');
    const { certificatePem: cert, privateKeyPem: key } = selfSigned();
    const folder = await tempFolder();
    await writeFile(folder.file('ca.pem'), cert);
    const [web, secured] = [createHttpServer(hello), createHttpsServer({ cert, key }, hello)];
    const [at, atSecured] = [await addressOf(web), await addressOf(secured)];
    expect(await refusalOf(at)).to.match(/: it closes the connection: .* or is something else$/);
    expect(await refusalOf(`${at}?tls=true`)).to.match(/: it does not speak TLS$/);
    expect(await refusalOf(`${atSecured}?tls=true`)).to.match(
      /: its certificate is not trusted .* tlsCAFile=/,
    );
    expect(await refusalOf(`${atSecured}?tls=true&tlsCAFile=${folder.file('ca.pem')}`)).to.match(
      /: it closes the connection: perhaps it is something else$/,
    );
    web.close();
    secured.close();
    await folder.remove();
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
    expect(await refusalOf(as(''))).to.match(/: it wants a user and a password, and the address has none$/);
    const store = await openMongoViewStore({ url: as(`me:${SECRET}@`) });
    expect(await store.status()).to.deep.equal([]);
    await store.close();
    await server.close();
  });
});
