/** What every answer tells a browser, whatever the answer is. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { startApi, type TestApi } from '../support/api.ts';

const OF_EVERY_ANSWER = {
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** By what an answer is for: everybody, or whoever has the key or the page. */
const ANSWERS = [
  ['GET', '/v1/agents', 'everybody'],
  ['OPTIONS', '/v1/agents', 'everybody'],
  ['POST', '/v1/agents', 'everybody'],
  ['GET', '/v1/agents/nobody', 'everybody'],
  ['GET', '/openapi.json', 'everybody'],
  ['GET', '/llms.txt', 'everybody'],
  ['GET', '/agents/nobody.md', 'everybody'],
  ['GET', '/v1/jobs', 'a key'],
  ['OPTIONS', '/v1/jobs', 'a key'],
  ['PUT', '/v1/jobs', 'a key'],
  ['POST', '/v1/trials', 'a key'],
  ['OPTIONS', '/v1/trials', 'a key'],
  ['GET', '/v1/nowhere', 'a key'],
  ['GET', '/%', 'a key'],
  ['OPTIONS', '/mcp', 'a key'],
  ['GET', '/mcp', 'a key'],
  ['POST', '/mcp', 'a key'],
  ['GET', '/', 'our pages'],
  ['GET', '/docs', 'our pages'],
  ['GET', '/nowhere', 'our pages'],
  ['GET', '/checkout/job_1', 'our pages'],
] as const;

describe('the headers that protect browsers', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ services: { baseUrl: 'https://bourse.example' } });
  });
  after(() => api.close());

  for (const [method, path, whom] of ANSWERS) {
    it(`stand in the answer to ${method} ${path}`, async () => {
      const { headers } = await fetch(api.url + path, {
        method,
        headers: whom === 'our pages' ? { Accept: 'text/html' } : {},
      });

      expect(Object.fromEntries(headers)).to.include(OF_EVERY_ANSWER);
      expect(headers.get('Content-Security-Policy')).to.include("default-src 'none'");
      expect(headers.get('Cross-Origin-Resource-Policy')).to.equal(
        whom === 'everybody' ? 'cross-origin' : 'same-origin',
      );
      if (whom === 'a key') expect(headers.get('Vary')).to.include('Authorization');
      if (whom === 'everybody') expect(headers.get('Access-Control-Allow-Origin')).to.equal('*');
    });
  }

  it('stand in the answer to what is no HTTP', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'close');

    for (const [name, value] of Object.entries({ ...OF_EVERY_ANSWER, vary: 'Authorization' })) {
      expect(received.toLowerCase()).to.include(`\r\n${name}: ${value.toLowerCase()}\r\n`);
    }
  });

  it('ask for nothing by https where the service is not reached by it', async () => {
    const plain = await startApi();
    try {
      const { headers } = await plain.get('/v1/agents');
      expect(headers.get('Strict-Transport-Security')).to.equal(null);
    } finally {
      await plain.close();
    }
  });
});
