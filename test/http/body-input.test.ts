import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { startApi, type TestApi, type TestKey } from '../support/api.ts';
import { until } from '../support/until.ts';
import { probes, written } from './probes.ts';

describe('the body of a request over HTTP', () => {
  let api: TestApi;
  let buyer: TestKey;
  before(async () => {
    api = await startApi({ routes: probes });
    buyer = await api.newKey({ scopes: ['jobs:cancel'] });
  });
  after(() => api.close());

  const post = (
    rawBody: string | Uint8Array,
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
  ) => api.send('POST', '/v1/probes', { key: buyer.key, rawBody, headers });

  beforeEach(() => written.splice(0));
  afterEach(function () {
    if (this.currentTest?.title.startsWith('refuses')) expect(written, 'no effect').to.deep.equal([]);
  });

  it('is taken as it is', async () => {
    const { status, body } = await post('{"label":"a","count":0,"notes":{"lines":["x"]}}');

    expect([status, body.data]).to.deep.equal([201, { label: 'a' }]);
    expect(written).to.have.lengthOf(1);
  });

  const wrong: readonly [what: string, body: string, status: number, code: string, path: string | null][] = [
    ['an unknown field', '{"label":"a","lable":"b"}', 400, 'invalid_request', 'lable'],
    ['a missing field', '{}', 400, 'invalid_request', 'label'],
    ['a wrong type', '{"label":7}', 400, 'invalid_request', 'label'],
    ['a number as text', '{"label":"a","count":"1"}', 400, 'invalid_request', 'count'],
    ['a fraction', '{"label":"a","count":1.5}', 400, 'invalid_request', 'count'],
    ['an unsafe number', '{"label":"a","count":9007199254740993}', 400, 'invalid_request', 'count'],
    [
      'an unknown nested field',
      '{"label":"a","notes":{"lines":[],"x":1}}',
      400,
      'invalid_request',
      'notes.x',
    ],
    ['a wrong entry', '{"label":"a","notes":{"lines":["a",7]}}', 400, 'invalid_request', 'notes.lines.1'],
    ['null for what is needed', '{"label":null}', 400, 'invalid_request', 'label'],
    ['a list', '[]', 400, 'invalid_request', ''],
    ['a text', '"label"', 400, 'invalid_request', ''],
    ['null', 'null', 400, 'invalid_request', ''],
    ['half a body', '{"label":"a"', 400, 'invalid_json', null],
    ['a comma too many', '{"label":"a",}', 400, 'invalid_json', null],
    ['NaN', '{"label":NaN}', 400, 'invalid_json', null],
    ['a member named twice', '{"label":"a","label":"b"}', 400, 'invalid_json', null],
    [
      'a member named twice deep down',
      '{"label":"a","anything":{"x":[{"y":1,"\\u0079":2}]}}',
      400,
      'invalid_json',
      null,
    ],
    ['half a character', String.raw`{"label":"\ud83d"}`, 400, 'invalid_json', null],
    ['the wrong half', String.raw`{"label":"\\\udE00x"}`, 400, 'invalid_json', null],
    ['a number beyond every double', '{"label":"a","anything":{"x":-1e400}}', 400, 'invalid_json', null],
    [
      'an integer deep down that a double cannot hold',
      '{"label":"a","anything":{"x":[1,{"id":9007199254740993}]}}',
      400,
      'invalid_request',
      'anything.x.1.id',
    ],
    [
      'a long negative one that is written with a fraction',
      '{"label":"a","anything":{"id":-12345678901234567890.0}}',
      400,
      'invalid_request',
      'anything.id',
    ],
    ['an integer that is all there is', '9007199254740993', 400, 'invalid_request', ''],
    ['__proto__', '{"label":"a","__proto__":{"count":1}}', 400, 'invalid_json', null],
    ['__proto__ deep down', '{"label":"a","anything":{"x":{"__proto__":1}}}', 400, 'invalid_json', null],
    [
      'nesting without measure',
      `{"label":"a","anything":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      400,
      'invalid_json',
      null,
    ],
  ];
  it('takes a character written as two halves, and a backslash before what only looks like one', async () => {
    const text = String.raw`{"label":"a","anything":{"x":"\ud83d\ude00 \\ud83d"}}`;
    expect((await post(text)).status).to.be.lessThan(300);
  });

  it('says what to send in place of integers that a double cannot hold, of each that there is', async () => {
    const { body } = await post('{"label":"a","anything":{"a":[9007199254740992],"b":-9007199254740992}}');
    const message = 'must be within ±9007199254740991: send it as text';
    expect(body.error.details).to.deep.equal([
      { path: 'anything.a.0', message },
      { path: 'anything.b', message },
    ]);
    expect(body.error.message).to.include(`anything.a.0 ${message}`);
  });

  for (const value of [
    '9007199254740991',
    '-9007199254740991',
    '6.02214076e23',
    '1e300',
    '0.12345678901234567890',
    '"9007199254740993"',
    String.raw`"\\\"9007199254740993"`,
    '{"9007199254740993":"12345678901234567890"}',
  ])
    it(`takes ${value}`, async () => {
      const { status } = await post(`{"label":"a","anything":{"x":${value}}}`);
      expect(status).to.equal(201);
    });

  for (const [what, text, status, code, path] of wrong) {
    it(`refuses ${what}`, async () => {
      const answer = await post(text);

      expect([answer.status, answer.body.error.code]).to.deep.equal([status, code]);
      if (path !== null) expect(answer.body.error.details?.[0]?.path).to.equal(path);
    });
  }

  it('refuses very many faults at once by naming the first of them: an answer is not longer than its request', async () => {
    const manyFields = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`field${i}`, i]));
    const fields = manyFields(1_000);
    for (const rawBody of [JSON.stringify(fields), JSON.stringify({ label: 'a', notes: fields })]) {
      const { status, text, body } = await post(rawBody);
      expect([status, body.error.details?.length]).to.deep.equal([400, 100]);
      expect(text.length).to.be.lessThan(rawBody.length);
    }
    // Of a large body not all faults are looked for.
    const { body } = await post(JSON.stringify({ label: 'a', notes: manyFields(5_000) }));
    expect(body.error.details?.length).to.be.within(1, 100);
  });

  it('refuses bytes that are not UTF-8', async () => {
    const { status, body } = await post(Buffer.from('{"label":"\xff"}', 'latin1'));
    expect([status, body.error.code]).to.deep.equal([400, 'invalid_json']);
  });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/jsonp',
  ]) {
    it(`refuses ${type}`, async () => {
      const { status, body } = await post('{"label":"a"}', { 'Content-Type': type });
      expect([status, body.error.code]).to.deep.equal([415, 'unsupported_media_type']);
    });
  }

  it('is given up at once when its sender breaks off in the middle of it', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /v1/probes HTTP/1.1', 'Host: test', `Authorization: Bearer ${buyer.key}`];
    const fields = ['Content-Type: application/json', 'Content-Length: 100', 'X-Request-Id: broken-off'];
    socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n{"label"`);
    await pause(50);
    socket.destroy();
    const line = () => api.logged().find(({ clientRequestId }) => clientRequestId === 'broken-off');
    await until('the request is over', () => line() !== undefined);
    expect(line()).to.include({ status: 400, code: 'invalid_request', gone: true });
  });

  it('refuses a body that is compressed', async () => {
    const { status, body } = await post('{"label":"a"}', { 'Content-Encoding': 'gzip' });
    expect([status, body.error.code]).to.deep.equal([415, 'unsupported_media_type']);
  });

  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
  ]) {
    it(`takes ${type}`, async () => {
      expect((await post('{"label":"a"}', { 'Content-Type': type })).status).to.equal(201);
    });
  }

  it('refuses a body without content type', async () => {
    const { status } = await post(Buffer.from('{"label":"a"}'), {});
    expect(status).to.equal(415);
  });

  it('is at most 256 KiB', async () => {
    const filled = (bytes: number): string => {
      const frame = '{"label":"a","anything":{"x":""}}';
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    };
    expect((await post(filled(256 * 1024))).status).to.equal(201);
    written.splice(0);
    const { status, body } = await post(filled(256 * 1024 + 1));
    expect([status, body.error.code]).to.deep.equal([413, 'body_too_large']);
    expect((await post(filled(4 * 1024 * 1024))).status).to.equal(413);
    expect(written).to.deep.equal([]);
  });

  it('takes names and quotes inside texts for what they are', async () => {
    const { status } = await post(
      JSON.stringify({ label: 'a":1,"label', anything: { 'x":': '\\"x": "x":' } }),
    );
    expect(status).to.equal(201);
  });

  it('may be absent where nothing is asked for', async () => {
    expect((await api.post('/v1/probes/first/touch', undefined, { key: buyer.key })).status).to.equal(200);
    expect((await api.post('/v1/probes/first/touch', {}, { key: buyer.key })).status).to.equal(200);
  });

  it('cannot say what the path says', async () => {
    const { status, body } = await api.post('/v1/probes/first/touch', { name: 'other' }, { key: buyer.key });
    expect([status, body.error.details?.[0]?.path]).to.deep.equal([400, 'name']);
  });

  it('has no query beside it', async () => {
    const { status, body } = await api.send('POST', '/v1/probes?label=b', {
      key: buyer.key,
      rawBody: '{"label":"a"}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect([status, body.error.details?.[0]?.path]).to.deep.equal([400, 'label']);
    expect(written).to.deep.equal([]);
  });
});
