import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { expect } from 'chai';
import { readBytes } from '../../src/http/body.ts';
import { listenAnywhere } from '../support/ports.ts';

describe('a body that does not come', () => {
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
      code: 'invalid_request',
      message: 'The body did not come within 0.01 s.',
    });
  });
});
