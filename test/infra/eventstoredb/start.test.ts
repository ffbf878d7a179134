/** A start that cannot succeed: one line that says what is wrong and what would be right, in time and without secrets. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../events/event-store.ts';
import { openEventStoreDb } from '../../../infra/eventstoredb/event-store.ts';
import { END_OF_2020, selfSigned } from '../../support/eventstoredb/certificate.ts';
import { listenAnywhere } from '../../support/ports.ts';
import { ownTimeOf } from '../../support/own-time.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { DEADLINE_MS, logsOn, PREFIX } from './logs-on.ts';

const SECRET = 'hunter2';
const CREDENTIALS = { username: 'ops', password: SECRET, isAdmin: true };
/** For a handshake on a busy machine. */
const TLS_MS = 1_500;
/** Begins well before the ten seconds that whoever starts a service waits. */
const BOUND_MS = 8_000;

describe('A start with EventStoreDB', () => {
  const logs = logsOn();
  const { startDouble: double } = logs;
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  const listening = async (server: Server): Promise<string> => {
    servers.push(server);
    return `127.0.0.1:${await listenAnywhere(server)}`;
  };
  const why = async (url: string, deadlineMs = DEADLINE_MS): Promise<string> => {
    let failure: unknown;
    const tookMs = await ownTimeOf(async () => {
      failure = await rejectionOf(openEventStoreDb({ url, prefix: PREFIX, deadlineMs }));
    });
    expect(tookMs).to.be.below(BOUND_MS);
    expect(failure).to.be.instanceOf(StoreUnavailable);
    const { message, cause } = failure as StoreUnavailable;
    // Whoever starts the service is shown both.
    expect(`${message} ${String(cause)}`)
      .to.not.contain(SECRET)
      .and.not.contain('\n');
    return message;
  };

  it('at an address that is none says how one looks', async () => {
    for (const url of [
      'http://localhost:2113',
      'esdb://',
      `esdb://ops:${SECRET}`,
      `esdb://ops:hunter@2${SECRET}@localhost:2113`,
      `esdb://ops:%zz${SECRET}@localhost:2113`,
      `esdb://ops@${SECRET}:2113`,
    ])
      expect(await why(url), url).to.contain('must look like esdb://user:password@host:2113');
  });

  it('with a password that would not be sent says so', async () => {
    expect(await why(`esdb://ops:${SECRET}@localhost:2113?tls=false`)).to.contain('only sent over TLS');
  });

  it('with the file of an authority that is not there says so', async () => {
    expect(await why('esdb://localhost:2113?tls=true&tlsCAFile=./nowhere.crt')).to.contain(
      'File was not found',
    );
  });

  it('where nothing listens says so', async () => {
    expect(await why('esdb://127.0.0.1:1?tls=false')).to.contain('nothing listens at 127.0.0.1:1');
    expect(await why('esdb://127.0.0.1:1')).to.contain('nothing listens at 127.0.0.1:1');
  });

  it('at a host that nobody knows says so', async () => {
    expect(await why('esdb://no-such-host.invalid:2113?tls=false')).to.contain(
      'the host of no-such-host.invalid:2113',
    );
  });

  it('at a cluster of which no node answers says so', async () => {
    expect(await why('esdb://127.0.0.1:1,127.0.0.1:2?tls=false')).to.contain('no node');
    expect(await why('esdb+discover://127.0.0.1:1?tls=false')).to.contain('no node');
  });

  it('with several hosts says of one that is there what is wrong with it', async () => {
    const secured = await double({ credentials: CREDENTIALS });
    const plain = await double();
    const both = (host: string) => `127.0.0.1:1,${host}`;
    expect(await why(`esdb://${both(`localhost:${secured.port}`)}`, TLS_MS)).to.contain('tlsCAFile=');
    expect(await why(`esdb://${both(`127.0.0.1:${plain.port}`)}`, TLS_MS)).to.contain('add tls=false');
    const silent = await listening(createServer((socket) => void sockets.push(socket)));
    expect(await why(`esdb://${silent},localhost:${secured.port}`, TLS_MS)).to.contain('tlsCAFile=');
  });

  it('with an option that would not be kept says which, and why', async () => {
    for (const [option, words] of [
      ['nodePreference=follower', 'the leader'],
      ['tlsVerifyCert=false', 'tlsCAFile'],
      ['defaultDeadline=5000', 'deadline'],
      ['throwOnAppendFailure=false', 'another way'],
      ['tls=perhaps', 'true or false'],
      ['keepAliveInterval=1000', 'at least 10000'],
      ['colour=blue', 'none of this name'],
    ] as const)
      expect(await why(`esdb://127.0.0.1:1?${option}`), option)
        .to.contain(words)
        .and.contain('cannot be kept');
  });

  it('takes the schemes of KurrentDB, and names of options in any case', async () => {
    const { port } = await double();
    for (const scheme of ['kurrentdb', 'kurrentdb+discover', 'esdb+discover'])
      await logs.open(`${scheme}://127.0.0.1:${port}?TLS=false&nodePreference=leader&tlsVerifyCert=true`);
    await logs.open(`esdb+discover://127.0.0.1:1,127.0.0.1:${port}?tls=False`);
  });

  it('at a server that accepts connections and says nothing says so', async () => {
    const server = await double();
    server.sayNothing(true);
    // As it is by default.
    expect(await why(server.url, 2_000)).to.contain('does not answer');
    expect(await why(server.url.replace('tls=false', 'tls=true'))).to.contain('does not answer');
  });

  it('at a server that takes the first question and says nothing says so', async () => {
    const server = await double();
    server.faults.on('supportedMethods', { kind: 'silence' });
    expect(await why(server.url)).to.contain('does not answer');
  });

  it('at a server of something else says so', async () => {
    const place = await listening(createHttpServer((_, response) => response.end('hello')));
    expect(await why(`esdb://${place}?tls=false`)).to.contain(`what answers at ${place} is not EventStoreDB`);
    expect(await why(`esdb://${place}`)).to.contain(`${place} does not speak TLS`);
    const { certificatePem: cert, privateKeyPem: key } = selfSigned();
    const secured = await listening(createHttpsServer({ cert, key }));
    const folder = await tempFolder();
    await writeFile(folder.file('ca.pem'), cert);
    expect(await why(`esdb://${secured}?tlsCAFile=${folder.file('ca.pem')}`)).to.contain(
      `what answers at ${secured} is not EventStoreDB`,
    );
    await folder.remove();
  });

  it('with a wrong password, or none, names the user and not the password', async () => {
    const { url } = await double({ credentials: { ...CREDENTIALS, password: 'changeit' } });
    expect(await why(url.replace('changeit', SECRET))).to.contain('refuses the user ops');
    expect(await why(url.replace(/ops:changeit@/, ''))).to.contain('wants a user and a password');
  });

  it('with a user who may not read the whole log says so', async () => {
    const { url } = await double({ credentials: { ...CREDENTIALS, isAdmin: false } });
    expect(await why(url)).to.contain('does not let the user ops read $all: the right $r is missing');
  });

  it('over TLS that is not trusted, or where there is none, says what to change', async () => {
    const secured = await double({ credentials: CREDENTIALS });
    const plain = await double();
    expect(await why(secured.url.replace(/[?&]tlsCAFile=[^&]*/, ''))).to.contain('tlsCAFile=');
    expect(await why(plain.url.replace('tls=false', 'tls=true'))).to.contain('add tls=false');
    const withoutTls = `esdb://127.0.0.1:${secured.port}?tls=false`;
    expect(await why(withoutTls)).to.contain('take tls=false out');
  });

  for (const [what, certificate, advice] of [
    ['that is out of date', () => selfSigned('localhost', END_OF_2020), 'renew it, or set the clock'],
    ['for another name', () => selfSigned('elsewhere.example'), 'use one of them in the address'],
  ] as const) {
    it(`at a server with a certificate ${what} says so, also where it is one host of several`, async () => {
      const { certificatePem: cert, privateKeyPem: key } = certificate();
      const [, port] = (await listening(createTlsServer({ cert, key, ALPNProtocols: ['h2'] }))).split(':');
      const folder = await tempFolder();
      await writeFile(folder.file('ca.pem'), cert);
      for (const hosts of [`localhost:${port}`, `127.0.0.1:1,localhost:${port}`]) {
        const said = await why(`esdb://${hosts}?tlsCAFile=${folder.file('ca.pem')}`, TLS_MS);
        expect(said).to.contain(`the certificate of localhost:${port}`).and.contain(advice);
      }
      await folder.remove();
    });
  }

  it('at a server that is too old names both versions', async () => {
    expect(await why((await double({ version: '22.10.5' })).url)).to.contain(
      '22.10.5, and Bourse wants 23.10',
    );
    expect(await why((await double({ version: null })).url)).to.contain('before 21.10');
  });

  it('at KurrentDB succeeds, over TLS and with a password as well', async () => {
    await logs.open((await double({ version: '25.0.1', generation: '24.2' })).url);
    const { store } = await logs.open((await double({ credentials: CREDENTIALS })).url);
    expect(await store.head()).to.equal(null);
  });

  it('refuses a prefix that could begin with another', async () => {
    const { url } = await double();
    for (const prefix of ['', 'bourse', '$bourse.', 'bourse.eu.'])
      expect(await rejectionOf(openEventStoreDb({ url, prefix }))).to.be.instanceOf(RangeError);
  });

  describe('in a process that does nothing else', () => {
    const script = fileURLToPath(new URL('./one-life.main.ts', import.meta.url));
    const live = (url: string, env: NodeJS.ProcessEnv) =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', script, url], {
        env: { ...process.env, ...env },
        timeout: 15_000,
      });

    it('keeps it alive no longer than it is open, and tells no debugger the password', async () => {
      const { url } = await double({ credentials: CREDENTIALS });
      const { stdout, stderr } = await live(url, { DEBUG: 'esdb:*' });
      expect(stdout).to.equal('closed\n');
      expect(stderr).to.contain('esdb:connection').and.not.contain(SECRET);
    });

    it('has Node say nothing of its own, also where servers have addresses and no names', async () => {
      const { url, port } = await double({ credentials: CREDENTIALS });
      const node = `127.0.0.1:${port}`;
      for (const hosts of [node, `${node},${node}`]) {
        const { stderr } = await live(url.replace(`localhost:${port}`, hosts), {});
        expect(stderr, hosts).to.equal('');
      }
    });
  });
});
