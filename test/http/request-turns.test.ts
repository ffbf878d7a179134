/** Requests that come at once are answered in turns of addresses, whatever they ask and on however many connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';
import { until } from '../support/until.ts';

const CROWD = 300;
/** Of one connection, in less than the 64 KiB that are read at once. */
const PIPELINED = 1_200;
/** Once for those that came first, once by turns, and as many that the kernel tells in another order. */
const MOST_BEFORE = 100;

describe('Requests that come at once', function () {
  this.timeout(60_000);
  let api: TestApi;
  const sockets = new Set<Socket>();
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await api.close();
  });

  /** Connected, and known to the server. */
  async function open(localAddress: string): Promise<Socket> {
    const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1', localAddress });
    sockets.add(socket);
    await once(
      socket.on('error', () => {}),
      'connect',
    );
    socket.write(request('/healthz'));
    await once(socket, 'data');
    return socket;
  }

  /** How many of the crowd are answered before the one who comes last, at the same time. */
  async function answeredBefore(
    crowd: readonly Socket[],
    one: Socket,
    ask: (socket: Socket) => void,
  ): Promise<number> {
    let answered = 0;
    for (const socket of crowd) socket.on('data', (text: Buffer) => (answered += answersIn(text)));
    for (const socket of crowd) ask(socket);
    ask(one);
    await once(one, 'data');
    const before = answered;
    await until('all are answered', () => answered === crowd.length);
    return before;
  }

  for (const path of ['/v1/agents', '/agents', '/nothing-here', '/v1/mandate'])
    it(`of one address are not all answered before that of another: ${path}`, async () => {
      api = await startApi({ publicRateLimit: CROWD / 2 });
      const crowd = await Promise.all(Array.from({ length: CROWD }, () => open('127.0.0.1')));
      const one = await open('127.0.0.2');
      const before = await answeredBefore(crowd, one, (socket) => socket.write(request(path)));
      expect(before).to.be.below(MOST_BEFORE);
    });

  it('are told apart by what a trusted proxy says, whose connections they all are', async () => {
    api = await startApi({ trustProxyHops: 1 });
    const [one, ...crowd] = await Promise.all(Array.from({ length: 1 + CROWD }, () => open('127.0.0.1')));
    const before = await answeredBefore(crowd, one!, (socket) =>
      socket.write(request('/v1/agents', socket === one ? '192.0.2.1' : '192.0.2.2')),
    );
    expect(before).to.be.below(MOST_BEFORE);
  });

  it('are all answered, each connection in its order, however many are sent before an answer', async () => {
    api = await startApi();
    const all = await Promise.all(Array.from({ length: 10 }, () => open('127.0.0.1')));
    const answers = all.map((socket) => {
      const read = { text: '', count: 0 };
      socket.on('data', (text: Buffer) => {
        read.text += text.toString('latin1');
        read.count += answersIn(text);
      });
      return read;
    });
    for (const socket of all)
      socket.write((request('/healthz') + request('/v1/agents/none')).repeat(PIPELINED / 2));
    // Somebody else is answered meanwhile.
    await open('127.0.0.2');
    expect(answers.every(({ count }) => count === PIPELINED)).to.equal(false);
    await until('all are answered', () => answers.every(({ count }) => count === PIPELINED));
    const expected = Array.from({ length: PIPELINED }, (_, i) => (i % 2 === 0 ? '200' : '404'));
    for (const { text } of answers)
      expect([...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).to.deep.equal(expected);
  });
});

function request(path: string, from?: string): string {
  const forwarded = from === undefined ? '' : `X-Forwarded-For: ${from}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${forwarded}\r\n`;
}

function answersIn(text: Buffer): number {
  return text.toString('latin1').split('HTTP/1.1 ').length - 1;
}
