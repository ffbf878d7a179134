/** How many connections there may be in all, from whatever addresses; of one address: test/attacks/without-a-key.test.ts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';
import { until } from '../support/until.ts';

const IN_ALL = 10;

describe('Connections', () => {
  let api: TestApi;
  let sockets: Socket[];
  before(async () => {
    sockets = [];
    api = await startApi({ connectionBounds: { inAll: IN_ALL, perAddress: Infinity } });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await api.close();
  });

  it('are so many in all and no more, and those that were there first go on', async () => {
    const port = Number(new URL(api.url).port);
    for (let count = 0; count < 2 * IN_ALL; count += 1) {
      const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      socket.resume();
    }
    const isOpen = ({ closed }: Socket): boolean => !closed;
    await until('what was one too many is closed', () => sockets.filter(isOpen).length === IN_ALL);
    const [first] = sockets;
    first!.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = await once(first!, 'data');
    expect(String(answer)).to.match(/^HTTP\/1.1 200 /);
  });
});
