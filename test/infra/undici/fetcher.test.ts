import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { createFetcher } from '../../../infra/undici/fetcher.ts';
import { isPublicAddress } from '../../../src/ports/public-address.ts';
import { freePort, listenAnywhere } from '../../support/ports.ts';
import { until } from '../../support/until.ts';

describe('The fetcher', () => {
  const post = { headers: {}, body: '{}', timeoutMs: 2_000 };
  let server: Server;
  let port: number;
  let hits = 0;
  let answer: { status: number; headers: Record<string, string> } = { status: 204, headers: {} };

  before(async () => {
    server = createServer((req, res) => {
      hits += 1;
      req.resume().on('end', () => res.writeHead(answer.status, answer.headers).end());
    });
    port = await listenAnywhere(server);
  });
  after((done) => void server.close(() => done()));
  beforeEach(() => (hits = 0));

  describe('never reaches what is not public, also over http', () => {
    const fetcher = createFetcher({ protocols: ['http:'] });
    after(() => fetcher.close());

    const hosts = [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '[fd00::1]',
      '[fe80::1]',
    ];
    for (const host of hosts) {
      it(host, async () => {
        const outcome = await fetcher.post({ ...post, url: `http://${host}:${port}/` });
        expect(outcome.kind).to.equal('forbidden');
        expect(hits).to.equal(0);
      });
    }

    it('an address that was public when the name was looked up, and is not where the connection went', async () => {
      let asked = 0;
      const names = { addressesOf: async () => ['127.0.0.1'], close: () => {} };
      const isAllowed = () => (asked += 1) === 1;
      const moved = createFetcher({ protocols: ['http:'], names, isAllowed });
      const outcome = await moved.post({ ...post, url: `http://moved.example:${port}/` });
      expect(outcome).to.deep.equal({ kind: 'forbidden', error: 'the address is not a public one' });
      await moved.close();
      expect([asked, hits]).to.deep.equal([2, 0]);
    });

    it('a name that turns out to be private, or partly so', async () => {
      for (const answers of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1']]) {
        const names = { addressesOf: async () => answers, close: () => {} };
        const rebound = createFetcher({ protocols: ['http:'], names });
        const outcome = await rebound.post({ ...post, url: `http://rebound.example:${port}/` });
        // It does not tell which address it was.
        expect(outcome).to.deep.equal({ kind: 'forbidden', error: 'the address is not a public one' });
        await rebound.close();
      }
      expect(hits).to.equal(0);
    });
  });

  it('takes https alone, and no passwords', async () => {
    const fetcher = createFetcher();
    for (const url of ['http://example.com/', 'ftp://example.com/', 'no address', 'https://u:p@example.com/'])
      expect((await fetcher.post({ ...post, url })).kind).to.equal('forbidden');
    await fetcher.close();
  });

  describe('where it may go', () => {
    const fetcher = createFetcher({ isAllowed: () => true, protocols: ['http:'] });
    const send = (timeoutMs = 2_000) =>
      fetcher.post({ ...post, timeoutMs, url: `http://127.0.0.1:${port}/` });
    after(() => fetcher.close());

    it('tells the status', async () => {
      answer = { status: 204, headers: {} };
      expect(await send()).to.deep.equal({ kind: 'answered', status: 204, retryAfterMs: null });
    });

    it('follows no redirect', async () => {
      answer = { status: 307, headers: { location: `http://127.0.0.1:${port}/elsewhere` } };
      expect(await send()).to.include({ kind: 'answered', status: 307 });
      expect(hits).to.equal(1);
    });

    it('tells when it may come again', async () => {
      answer = { status: 503, headers: { 'retry-after': '7' } };
      expect(await send()).to.include({ status: 503, retryAfterMs: 7_000 });
    });

    it('tells that nobody listens', async () => {
      const nobody = await freePort();
      const outcome = await fetcher.post({ ...post, url: `http://127.0.0.1:${nobody}/` });
      expect(outcome).to.deep.equal({ kind: 'failed', error: 'ECONNREFUSED: it takes no connections' });
    });

    it('gives up when it is told to stop', async () => {
      const signal = AbortSignal.abort();
      const outcome = await fetcher.post({ ...post, signal, url: `http://127.0.0.1:${port}/` });
      expect(outcome).to.deep.equal({ kind: 'stopped' });
    });

    it('gives up a connection that is not made yet, and leaves nothing of it', async () => {
      const taken: Socket[] = [];
      const silent = createTcpServer((socket) => void taken.push(socket.on('error', () => {}).resume()));
      const stopping = new AbortController();
      const impatient = createFetcher({ isAllowed: () => true });
      const url = `https://127.0.0.1:${await listenAnywhere(silent)}/`;
      const posting = impatient.post({ ...post, timeoutMs: 60_000, signal: stopping.signal, url });
      await until('it is being connected', () => taken.length === 1);
      stopping.abort();
      expect(await posting).to.deep.equal({ kind: 'stopped' });
      await impatient.close();
      silent.close();
      await until('it is closed', () => taken.every(({ closed }) => closed), 3_000).finally(() =>
        taken.forEach((socket) => socket.destroy()),
      );
      // Undici itself waits for five seconds.
    }).timeout(4_500);

    it('gives up a name that nobody tells when its time is over', async () => {
      const names = { addressesOf: () => new Promise<never>(() => {}), close: () => {} };
      const impatient = createFetcher({ names });
      const outcome = await impatient.post({ ...post, timeoutMs: 50, url: 'https://slow.example/' });
      expect(outcome).to.deep.equal({ kind: 'failed', error: 'no answer within 50 ms' });
      await impatient.close();
    }).timeout(4_500);

    describe('gets no longer than its signal lets it', () => {
      const get = { headers: {}, timeoutMs: 60_000, maxBytes: 1_000 };

      it('and asks for nothing when it was aborted before', async () => {
        const outcome = await fetcher.get({
          ...get,
          signal: AbortSignal.abort(),
          url: `http://127.0.0.1:${port}/`,
        });
        expect(outcome).to.deep.equal({ kind: 'stopped' });
        expect(hits).to.equal(0);
      });

      it('from a connection that is not made', async () => {
        const taken: Socket[] = [];
        const silent = createTcpServer((socket) => void taken.push(socket.on('error', () => {}).resume()));
        const stopping = new AbortController();
        const impatient = createFetcher({ isAllowed: () => true });
        const url = `https://127.0.0.1:${await listenAnywhere(silent)}/`;
        const getting = impatient.get({ ...get, signal: stopping.signal, url });
        await until('it is being connected', () => taken.length === 1);
        stopping.abort();
        expect(await getting).to.deep.equal({ kind: 'stopped' });
        await impatient.close();
        silent.close();
        taken.forEach((socket) => socket.destroy());
        // Undici itself waits for five seconds.
      }).timeout(4_500);

      it('of a name that nobody tells, also when its time is over', async () => {
        const names = { addressesOf: () => new Promise<never>(() => {}), close: () => {} };
        const impatient = createFetcher({ names });
        const outcome = await impatient.get({ ...get, timeoutMs: 50, url: 'https://slow.example/' });
        expect(outcome).to.deep.equal({
          kind: 'failed',
          error: 'no whole answer within 50 ms',
          isLate: true,
        });
        await impatient.close();
      }).timeout(4_500);

      it('of a body that never ends', async () => {
        const endless = createServer((_req, res) => void res.write('the beginning'));
        const stopping = new AbortController();
        let begun = false;
        endless.on('request', () => (begun = true));
        const url = `http://127.0.0.1:${await listenAnywhere(endless)}/`;
        const getting = fetcher.get({ ...get, signal: stopping.signal, url });
        await until('its answer has begun', () => begun);
        stopping.abort();
        expect(await getting).to.deep.equal({ kind: 'stopped' });
        endless.closeAllConnections();
        endless.close();
      });
    });

    it('goes to no port that no web server has', async () => {
      for (const other of [22, 25, 6379])
        expect(await fetcher.post({ ...post, url: `http://127.0.0.1:${other}/` })).to.deep.equal({
          kind: 'forbidden',
          error: 'no web server has this port',
        });
    });
  });

  it('knows public addresses', () => {
    for (const address of ['8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8'])
      expect(isPublicAddress(address), address).to.equal(true);
    for (const address of ['', 'x', '224.0.0.1', '255.255.255.255', '192.0.2.1', '2001:db8::1', 'ff02::1'])
      expect(isPublicAddress(address), address).to.equal(false);
  });

  it('and IPv6 that only looks public: unallocated, or ISATAP', () => {
    for (const address of ['2d00::1', '3000::1', '2001:4860::5efe:10.0.0.1', '2606:4700::200:5efe:a00:1'])
      expect(isPublicAddress(address), address).to.equal(false);
  });
});
