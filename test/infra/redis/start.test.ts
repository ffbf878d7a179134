/** What is said at start when there is no Redis that will do: one line, soon, and never the password. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect } from 'chai';
import { openRedis } from '../../../infra/redis/engine.ts';
import { checkServer } from '../../../infra/redis/server-check.ts';
import { QueueUnavailable } from '../../../src/ports/queue.ts';
import { selfSigned } from '../../support/eventstoredb/certificate.ts';
import { listenAnywhere } from '../../support/ports.ts';
import { newPrefix, startRedis, withOwnRedis } from '../../support/redis-server.ts';

const SECRET = 's3cret';

async function refusal(url: string): Promise<string> {
  const opened = openRedis({ url, prefix: newPrefix(), onError: () => {} });
  const error = await opened.then(
    (engine) => engine.close().then(() => new Error(`${url} was opened`)),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(QueueUnavailable);
  // The error as a log would show it, with all that hangs on it.
  const { message } = error as Error;
  expect(JSON.stringify([message, error])).to.not.include(SECRET);
  expect(message).to.not.include('\n');
  return message;
}

describe('Opening a Redis that is none', () => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  after(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });

  async function serve(talk: (socket: Socket) => void): Promise<number> {
    return listen(
      createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        talk(socket);
      }),
    );
  }

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    return listenAnywhere(server);
  }

  it('says that an address is none, without repeating it', async () => {
    for (const url of [
      '',
      'host:1',
      `http://:${SECRET}@h`,
      `redis://:${SECRET}%@h`,
      `redis://:${SECRET}@h/x`,
    ])
      expect(await refusal(url)).to.match(/is not like rediss:/);
  });

  it('says that nobody listens there, by that name or at that port', async () => {
    const port = await serve(() => {});
    servers.at(-1)?.close();
    expect(await refusal(`redis://user:${SECRET}@127.0.0.1:${port}/0`)).to.equal(
      `Redis at redis://127.0.0.1:${port}/0 cannot be used: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
    expect(await refusal('redis://no-such-host.invalid')).to.match(/ENOTFOUND|EAI_AGAIN/);
  });

  it('says that somebody accepts connections and says nothing', async () => {
    const port = await serve((socket) => void socket.resume());
    expect(await refusal(`redis://:${SECRET}@127.0.0.1:${port}`)).to.match(
      /accepts connections and says nothing$/,
    );
  });

  it('says that somebody else answers, or wants TLS', async () => {
    const web = await serve(
      (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
    );
    expect(await refusal(`redis://127.0.0.1:${web}`)).to.match(/is no Redis, or wants TLS$/);
    const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 0x46]);
    const tls = await serve((socket) => void socket.once('data', () => socket.end(alert)));
    expect(await refusal(`redis://127.0.0.1:${tls}`)).to.match(/is no Redis, or wants TLS$/);
  });

  it('says that the certificate is not trusted', async () => {
    const { certificatePem: cert, privateKeyPem: key } = selfSigned();
    const secured = await listen(createTlsServer({ cert, key }, (socket) => void sockets.add(socket)));
    expect(await refusal(`rediss://:${SECRET}@127.0.0.1:${secured}`)).to.match(
      /: its certificate is not trusted: .* NODE_EXTRA_CA_CERTS$/,
    );
  });

  it('says that TLS is refused, or perhaps wanted', async () => {
    const closing = await serve((socket) => void socket.once('data', () => socket.destroy()));
    expect(await refusal(`redis://127.0.0.1:${closing}`)).to.match(
      /: it closed the connection: perhaps it wants TLS, or is no Redis$/,
    );
    expect(await refusal(`rediss://127.0.0.1:${closing}`)).to.match(/no TLS/);
    const silent = await serve((socket) => void socket.resume());
    expect(await refusal(`rediss://127.0.0.1:${silent}`)).to.match(/no TLS/);
  });

  it('knows the oldest version that will do, and what makes tasks go lost', () => {
    expect(() => checkServer('redis_version:6.0.16\r\n')).to.throw(
      QueueUnavailable,
      /6\.0\.16 is too old: 6\.2\.0/,
    );
    for (const version of ['6.2.0', '6.2.14', '7.0.15', '10.0.0', '8.0-rc1'])
      expect(
        checkServer(`redis_version:${version}\r\nmaxmemory_policy:noeviction\r\naof_enabled:1`),
      ).to.deep.equal([]);
    const warnings = checkServer('redis_version:7.0.0\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:0');
    expect(warnings.join())
      .to.match(/noeviction \(it is allkeys-lru\)/)
      .and.match(/appendonly/);
  });
});

withOwnRedis('Opening a Redis', () => {
  it('says that the password is wrong or missing, and that there is no such database', async () => {
    const redis = await startRedis(['--requirepass', 'right']);
    const at = (user: string, db = 0): string => `redis://${user}127.0.0.1:${redis.port}/${db}`;
    expect(await refusal(at(`:${SECRET}@`))).to.match(/the user or the password is wrong$/);
    expect(await refusal(at(`nobody:${SECRET}@`))).to.match(/the user or the password is wrong$/);
    expect(await refusal(at(''))).to.match(/wants a password/);
    expect(await refusal(at(':right@', 99))).to.match(/DB index is out of range$/);
    const engine = await openRedis({ url: at(':right@'), prefix: newPrefix(), onError: () => {} });
    expect(engine.status().state).to.equal('up');
    await engine.close();
    await redis.close();
  });

  it('warns of one that forgets, and opens it all the same', async () => {
    const redis = await startRedis(['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru']);
    const warnings: string[] = [];
    const options = {
      url: redis.url,
      prefix: newPrefix(),
      onError: ({ message }: Error) => warnings.push(message),
    };
    const engine = await openRedis(options);
    expect(warnings).to.have.lengthOf(2);
    await engine.close();
    await redis.close();
  });

  it('takes one on trust that does not say what it is', async () => {
    const redis = await startRedis(['--user', 'guest', 'on', '>pass', '~*', '+@all', '-info']);
    const url = `redis://guest:pass@127.0.0.1:${redis.port}`;
    const engine = await openRedis({ url, prefix: newPrefix(), onError: () => {} });
    expect(await engine.leases.take('a', 'me', 1_000)).to.equal(true);
    await engine.close();
    await redis.close();
  });
});
