import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';
import { MAX_HEAD_BYTES } from '../../src/transport/body.ts';
import { probes, resetSlow, slow } from './probes.ts';

describe('the HTTP server', () => {
  let api: TestApi;
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await api.close();
    isClosed = true;
  };
  beforeEach(async () => {
    resetSlow();
    isClosed = false;
    api = await startApi({ routes: probes });
  });
  afterEach(close);

  const fetchOver = (agent: Agent, path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(api.url + path, { agent }, (response) => {
        response.resume();
        response.on('end', () => resolve(response));
      }).on('error', reject);
    });

  /** Sends bytes as they are and answers with all that comes back. */
  const sendRaw = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(bytes));
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      socket.on('close', () => resolve(received)).on('error', reject);
    });

  it('finishes what is in flight when it stops, takes nothing new, and lets idle connections go', async () => {
    const agent = new Agent({ keepAlive: true });
    await fetchOver(agent, '/v1/probes/first');
    const inFlight = fetchOver(new Agent({ keepAlive: true }), '/v1/probes/slow');
    await slow.started.promise;

    const stopped = close();
    const refused = await fetchOver(new Agent(), '/v1/probes/first').catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(refused).to.equal('ECONNREFUSED');
    slow.finish.resolve('in good order');
    const answer = await inFlight;
    expect([answer.statusCode, answer.complete]).to.deep.equal([200, true]);
    await stopped;
  });

  it('answers what is no HTTP in the envelope, and closes', async () => {
    for (const [bytes, status] of [
      ['nonsense\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const [head = '', body = ''] = (await sendRaw(bytes)).split('\r\n\r\n');
      expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).to.match(/X-Request-Id: req_/i);
      expect(JSON.parse(body).error.code).to.equal('invalid_request');
    }
  });

  it('takes addresses and headers of so many bytes together and no more', async () => {
    const beginning = 'GET /v1/probes/first HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Large: ';
    const status = async (bytes: number): Promise<string | undefined> => {
      const request = `${beginning}${'x'.repeat(bytes - beginning.length - 4)}\r\n\r\n`;
      return (await sendRaw(request)).split(' ')[1];
    };
    expect(await status(MAX_HEAD_BYTES - 512)).to.equal('200');
    expect(await status(MAX_HEAD_BYTES + 512)).to.equal('431');
  });

  it('answers what node would refuse by itself in the envelope too', async () => {
    for (const [headers, status] of [
      ['', 400],
      ['Host: a\r\nExpect: a-miracle\r\n', 200],
    ] as const) {
      const bytes = `GET /v1/probes/first HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
      const [head = '', body = ''] = (await sendRaw(bytes)).split('\r\n\r\n');
      expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).to.match(/X-Request-Id: req_/i);
      expect(JSON.parse(body)).to.have.keys('data', 'meta', 'error');
    }
  });

  it('answers a target that is no address in the envelope, and takes a whole address for its path', async () => {
    for (const [target, status] of [
      ['http://[::1/v1/probes/first', 400],
      ['http://', 400],
      ['http://elsewhere.example/v1/probes/first', 200],
      ['*', 404],
    ] as const) {
      const bytes = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
      const [head = '', body = ''] = (await sendRaw(bytes)).split('\r\n\r\n');
      expect(head, target).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head, target).to.match(/X-Request-Id: req_/i);
      expect(JSON.parse(body), target).to.have.keys('data', 'meta', 'error');
    }
  });

  for (const [name, values] of [
    ['Host', ['a', 'b']],
    ['Authorization', ['Bearer a', 'Bearer b']],
    ['Content-Type', ['application/json', 'text/plain']],
    ['Idempotency-Key', ['a', 'a']],
  ] as const)
    it(`refuses two ${name} headers, and says so`, async () => {
      const lines = [`${name}: ${values[0]}`, `${name.toLowerCase()}: ${values[1]}`];
      if (name !== 'Host') lines.push('Host: a');
      for (const target of ['POST /v1/probes', 'GET /v1/probes/first', 'GET /v1/cold-probes/first']) {
        const answer = await sendRaw(
          `${[`${target} HTTP/1.1`, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`,
        );
        expect(answer, target).to.match(/^HTTP\/1.1 400 /);
        expect(answer, target).to.include(`two ${name} headers`);
      }
    });

  it('takes headers of other names twice', async () => {
    const bytes =
      'GET /v1/probes/first HTTP/1.1\r\nHost: a\r\nVia: b\r\nVia: c\r\nGoat: d\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(bytes)).to.match(/^HTTP\/1.1 200 /);
  });

  describe('a body that is announced', () => {
    const announced = (key: string, length: number, more = ''): string =>
      [
        'POST /v1/probes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json',
        `Content-Length: ${length}\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`,
      ].join('\r\n');
    const buyer = () => api.newKey({ scopes: ['jobs:cancel'] });
    const EXPECT = 'Expect: 100-continue\r\n';

    for (const more of ['', EXPECT])
      it(`too large is refused before a byte of it came ${more}`, async () => {
        const answer = await sendRaw(announced((await buyer()).key, 300 * 1024, more));
        expect(answer).to.match(/^HTTP\/1.1 413 /);
        expect(answer).to.match(/Connection: close/i);
      });

    it('is asked for when it is wanted, and the connection goes on', async () => {
      const head = announced((await buyer()).key, 13, EXPECT);
      const next = 'GET /v1/probes/first HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
      const answer = await sendRaw(`${head}{"label":"a"}${next}`);
      expect(answer).to.match(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
      expect(answer).to.match(/HTTP\/1.1 200 /);
    });

    it('is never asked for where the key is wrong', async () => {
      const answer = await sendRaw(announced('brs_ak_wrong', 300 * 1024, EXPECT));
      expect(answer).to.match(/^HTTP\/1.1 401 /);
      expect(answer).to.match(/Connection: close/i);
    });
  });

  it('answers a request whose body is too large although it is still being sent', async () => {
    const head =
      'POST /v1/probes/first/touch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n';
    const { key } = await api.newKey({ scopes: ['jobs:cancel'] });
    const answer = await sendRaw(`${head}Authorization: Bearer ${key}\r\n\r\n${' '.repeat(9 * 1024 * 1024)}`);
    expect(answer).to.match(/^HTTP\/1.1 413 /);
    expect(answer).to.match(/Connection: close/i);
  });
});
