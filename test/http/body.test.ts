import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { expect } from 'chai';
import { connect } from 'node:net';
import { readBytes } from '../../src/transport/body.ts';
import { beginExchange } from '../../src/transport/exchange.ts';
import { sendRefusal } from '../../src/transport/send.ts';
import { listenAnywhere } from '../support/ports.ts';

describe('a body that does not come', () => {
  it('ends its connection with the answer', async () => {
    // All of the edge that an answer needs.
    const context = {
      isStopping: () => false,
      log: { request: () => {} },
      transportHeaders: [],
      now: Date.now,
    };
    const server = createServer((req, res) => {
      const exchange = beginExchange(context as never, req, res, 'probe', '/', []);
      void readBytes(req, 1_024, 10).then((slow) => !Buffer.isBuffer(slow) && sendRefusal(exchange, slow));
    });
    const port = await listenAnywhere(server);
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{'),
    );
    const text = (await socket.setEncoding('utf8').toArray()).join('');
    server.close();

    expect(text).to.match(/^HTTP\/1.1 408 /);
    expect(text).to.match(/Connection: close/i);
    expect(text).to.include('"code":"request_timeout"');
  });

  it('is answered when its time is over, not cut off', async () => {
    const server = createServer((req, res) => {
      void readBytes(req, 1_024, 10).then((outcome) => res.end(JSON.stringify(outcome)));
    });
    const port = await listenAnywhere(server);
    const asked = request({ port, method: 'POST', headers: { 'Content-Length': '20' } });
    asked.write('{');
    const [answer] = await once(asked, 'response');
    const text = (await answer.setEncoding('utf8').toArray()).join('');
    asked.destroy();
    server.close();

    expect(JSON.parse(text)).to.deep.equal({
      code: 'request_timeout',
      message: 'The body did not come within 0.01 s.',
    });
  });
});
