/** Bodies in chunks, of whatever size these are. */
import { connect } from 'node:net';
import { expect } from 'chai';
import { LEAST_AVERAGE_BYTES, MAX_SMALL_CHUNKS } from '../../src/transport/joined-chunks.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';

const ORDER = JSON.stringify({ agent: 'invoice-matcher', brief: 'Match.'.repeat(200) });
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe('A body in chunks', function () {
  this.timeout(60_000);
  let api: JobApi;
  before(async () => void (api = await startJobApi()));
  after(() => api.close());

  /** All that is answered until the connection ends. */
  async function answerTo(request: string, key: string, body: string): Promise<string> {
    const headers = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`;
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(`${request} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`);
    let text = '';
    socket.setEncoding('utf8').on('data', (more: string) => (text += more));
    // It may end by a reset: what was sent is not all read.
    await new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
    return text;
  }
  const order = (body: string): Promise<string> => answerTo('POST /v1/trials', api.buyer.key, body);

  it('of one byte each is read whole, and the next request on its connection answered', async () => {
    const text = await order(`${chunks(ORDER.split(''))}0\r\n\r\n${HEALTH}`);
    expect(text).to.match(/^HTTP\/1.1 201 .*"status":"draft".*HTTP\/1.1 200 .*"ok"/s);
  });

  it('of all sizes is read whole', async () => {
    const sizes = [ORDER.slice(0, 1), ORDER.slice(1, 900), ORDER.slice(900, 901), ORDER.slice(901)];
    expect(await order(`${chunks(sizes)}0\r\n\r\n${HEALTH}`)).to.match(/^HTTP\/1.1 201 /);
  });

  it('that are too many and small is refused, and its connection ends', async () => {
    const text = await order(chunks(tooMany(' ')));
    expect(text).to.match(/^HTTP\/1.1 400 /);
    expect(text).to.match(/Connection: close/i);
    expect(text).to.include(
      `"code":"invalid_request","message":"The body has more than ${MAX_SMALL_CHUNKS} chunks`,
    );
  });

  it('that are many and not small is read', async () => {
    const text = await order(`${chunks(tooMany(' '.repeat(2 * LEAST_AVERAGE_BYTES)))}0\r\n\r\n${HEALTH}`);
    expect(text).to.match(/^HTTP\/1.1 413 .*HTTP\/1.1 200 /s);
  });

  it('that are too many and small is no file, not even in part', async () => {
    const jobId = await api.jobIn('running');
    const path = `/v1/provider/jobs/${jobId}/artifacts/a.txt`;
    expect(await answerTo(`PUT ${path}`, api.agency.key, chunks(tooMany('a')))).to.equal('');
    const { data } = (await api.get(`/v1/jobs/${jobId}/artifacts`, api.buyer)).body;
    expect(data).to.deep.equal([]);
  });

  it('that nobody reads ends with the answer', async () => {
    expect(await answerTo('POST /nothing-here', api.buyer.key, chunks(tooMany('a')))).to.satisfy(
      (text: string) => text === '' || text.startsWith('HTTP/1.1 404 '),
    );
  });
});

function chunks(pieces: readonly string[]): string {
  return pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
}

function tooMany(piece: string): string[] {
  return Array.from({ length: 2 * MAX_SMALL_CHUNKS }, () => piece);
}
