/** Files by HTTP's own rules (RFC 9110): conditions, ranges, codings, and a store that is away. */
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { createMemoryBlobs } from '../contract/memory/blobs.ts';
import { linkedArtifactSchema } from '../../src/operations/artifacts/artifact-schema.ts';
import { type Blobs, BlobsUnavailable } from '../../src/ports/blobs.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';

const refused = z.object({ error: z.object({ code: z.string() }) });

describe('A file over HTTP', () => {
  let api: JobApi;
  const stored = createMemoryBlobs();
  let isAway = false;
  const away = () => new BlobsUnavailable('the bucket is away');
  /** While it is away it takes some bytes of an upload, and tells of a download only once its bytes are asked for. */
  const blobs: Blobs = {
    ...stored,
    async put(key, bytes, limits) {
      if (!isAway) return stored.put(key, bytes, limits);
      for await (const _ of bytes) throw away();
      throw away();
    },
    async open(key, first, last) {
      if (!isAway) return stored.open(key, first, last);
      return (async function* () {
        yield* [];
        // As a stream of Node's says it.
        throw Object.assign(new Error('read EIO'), { code: 'EIO' });
      })();
    },
  };
  before(async () => {
    api = await startJobApi();
    Object.assign(api.services, { blobs });
  });
  afterEach(() => (isAway = false));
  after(() => api.close());

  const put = (jobId: string, rawBody: string, headers: Record<string, string>) =>
    api.send('PUT', `/v1/provider/jobs/${jobId}/artifacts/ten.txt`, {
      key: api.agency.key,
      rawBody,
      headers,
    });
  const pathOf = async (jobId: string): Promise<string> => {
    const { data } = (await api.get(`/v1/jobs/${jobId}/artifacts`, api.buyer)).body;
    const [file] = z.array(linkedArtifactSchema).parse(data);
    return file?.url.slice('http://market.test'.length) ?? '';
  };
  const ten = async (): Promise<{ path: string; tag: string }> => {
    const jobId = await api.jobIn('running');
    await put(jobId, '0123456789', {});
    return { path: await pathOf(jobId), tag: `"${createHash('sha256').update('0123456789').digest('hex')}"` };
  };
  const get = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const answer = await fetch(api.url + path, { method, headers });
    return { status: answer.status, tag: answer.headers.get('ETag'), text: await answer.text() };
  };

  it('is sent, or not, as If-Match and If-None-Match say, before any range is looked at', async () => {
    const { path, tag } = await ten();
    const beyond = { Range: 'bytes=99-' };
    const cases: [Record<string, string>, number][] = [
      [{ 'If-None-Match': tag }, 304],
      [{ 'If-None-Match': `"other", W/${tag}` }, 304],
      [{ 'If-None-Match': '*' }, 304],
      [{ 'If-None-Match': tag, ...beyond }, 304],
      [{ 'If-None-Match': '"other"' }, 200],
      [{ 'If-Match': tag }, 200],
      [{ 'If-Match': `"other",${tag}` }, 200],
      [{ 'If-Match': '*' }, 200],
      [{ 'If-Match': '"other"' }, 412],
      [{ 'If-Match': `W/${tag}` }, 412],
      [{ 'If-Match': '"other"', ...beyond }, 412],
      [{ 'If-Match': '"other"', 'If-None-Match': tag }, 412],
      [{ 'If-Match': tag, ...beyond }, 416],
      [{ 'If-Range': `W/${tag}`, Range: 'bytes=0-0' }, 200],
      // There is no date for these to be upon.
      [{ 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 200],
      [{ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
      [{ 'If-Range': 'Fri, 01 Jan 2100 00:00:00 GMT', Range: 'bytes=0-0' }, 200],
    ];
    for (const [headers, status] of cases)
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(path, headers, method);
        // A range is of a GET alone.
        const wanted = method === 'HEAD' && status === 416 ? 200 : status;
        expect(answer.status, `${method} ${JSON.stringify(headers)}`).to.equal(wanted);
        if (status === 304) expect([answer.tag, answer.text]).to.deep.equal([tag, '']);
        if (status === 412 && method === 'GET')
          expect(refused.parse(JSON.parse(answer.text)).error.code).to.equal('precondition_failed');
      }
  });

  it('is sent whole for a list of ranges, however long, and for what is no range', async () => {
    const { path } = await ten();
    const many = `bytes=${Array.from({ length: 1_500 }, (_, i) => `${i}-${i}`).join(',')}`;
    for (const Range of [many, 'bytes=0-1,3-4', 'bytes=4-2', 'lines=0-1', 'bytes=a-b'])
      expect(await get(path, { Range }), Range.slice(0, 20)).to.include({ status: 200, text: '0123456789' });
    for (const [Range, text] of [
      ['BYTES=1-2', '12'],
      ['bytes= 1-2', '12'],
      ['bytes=8-99999999999999999999999', '89'],
      ['bytes=-99999999999999999999999', '0123456789'],
    ] as const)
      expect(await get(path, { Range }), Range).to.include({ status: 206, text });
    const beyond = await fetch(api.url + path, { headers: { Range: 'bytes=99999999999999999999999-' } });
    expect([beyond.status, beyond.headers.get('Content-Range')]).to.deep.equal([416, 'bytes */10']);
  });

  it('is put where If-Match and If-None-Match say, and nowhere else', async () => {
    const jobId = await api.jobIn('running');
    const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('hex')}"`;
    const cases: [string, Record<string, string>, number][] = [
      ['one', { 'If-Match': '*' }, 412],
      ['one', { 'If-None-Match': '*' }, 200],
      ['two', { 'If-None-Match': '*' }, 412],
      ['one', { 'If-None-Match': '*' }, 412],
      ['two', { 'If-None-Match': `W/${tagOf('one')}` }, 412],
      ['two', { 'If-Match': tagOf('two') }, 412],
      ['two', { 'If-Match': `"other", ${tagOf('one')}` }, 200],
      ['three', { 'If-Match': '*', 'If-None-Match': tagOf('one') }, 200],
    ];
    for (const [text, headers, status] of cases) {
      const answer = await put(jobId, text, headers);
      expect(answer.status, `${text} ${JSON.stringify(headers)}`).to.equal(status);
      if (status === 412) expect(answer.body.error.code).to.equal('precondition_failed');
    }
    const left = await get(await pathOf(jobId), {});
    expect([left.tag, left.text]).to.deep.equal([tagOf('three'), 'three']);
  });

  it('is put by one of many who say that there must be none, and by each of them once', async () => {
    const jobId = await api.jobIn('running');
    const bodies = Array.from({ length: 8 }, (_, i) => `by ${i}`);
    const send = (text: string) =>
      put(jobId, text, { 'If-None-Match': '*', 'Idempotency-Key': `of ${text}`.replaceAll(' ', '-') });
    const answers = await Promise.all(bodies.map(send));
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    expect(answers.filter(({ status }) => status === 412)).to.have.lengthOf(7);
    const [mine = ''] = bodies.filter((_, i) => answers[i]?.status === 200);
    const again = await send(mine);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    expect((await get(await pathOf(jobId), {})).text).to.equal(mine);
  });

  it('is taken with a digest in either case, and refused with a coding or as a part', async () => {
    const jobId = await api.jobIn('running');
    const digest = createHash('sha256').update('x').digest('hex');
    for (const text of [digest, digest.toUpperCase()])
      expect((await put(jobId, 'x', { 'X-Content-SHA256': text })).body.data['sha256']).to.equal(digest);
    expect((await put(jobId, 'y', { 'X-Content-SHA256': digest.toUpperCase() })).status).to.equal(400);
    const coded = await put(jobId, 'x', { 'Content-Encoding': 'gzip' });
    expect([coded.status, coded.body.error.code]).to.deep.equal([415, 'unsupported_media_type']);
    expect((await put(jobId, 'x', { 'Content-Encoding': 'identity' })).status).to.equal(200);
    const part = await put(jobId, 'x', { 'Content-Range': 'bytes 0-0/2' });
    expect([part.status, part.body.error.details?.[0]?.path]).to.deep.equal([400, 'Content-Range']);
  });

  it('whose store is away is 503, never a connection that breaks, and is there again with the store', async () => {
    const { path } = await ten();
    isAway = true;
    for (const headers of [{}, { Range: 'bytes=0-1' }]) {
      const answer = await get(path, headers as Record<string, string>);
      expect([answer.status, answer.tag]).to.deep.equal([503, null]);
      expect(refused.parse(JSON.parse(answer.text)).error.code).to.equal('unavailable');
    }
    expect((await get(path, {}, 'HEAD')).status).to.equal(200);
    isAway = false;
    expect(await get(path, {})).to.include({ status: 200, text: '0123456789' });
  });

  it('that is sent to a store that goes away is 503 while it is still being sent', async () => {
    const jobId = await api.jobIn('running');
    isAway = true;
    const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const path = `${api.url}/v1/provider/jobs/${jobId}/artifacts/large.bin`;
      const headers = { Authorization: `Bearer ${api.agency.key}`, 'Content-Length': 40_000_000 };
      const sending = request(path, { method: 'PUT', headers });
      sending.on('error', reject).on('response', (res) => {
        let body = '';
        res.on('data', (chunk: Buffer) => (body += chunk)).on('error', reject);
        res.on('end', () => resolve({ status: res.statusCode ?? 0, body }));
      });
      // The rest comes only once the answer is there, or never.
      sending.write(randomBytes(1_000_000));
    });
    expect(answer.status).to.equal(503);
    expect(refused.parse(JSON.parse(answer.body)).error.code).to.equal('unavailable');
    isAway = false;
    expect((await put(jobId, 'x', {})).status).to.equal(200);
  });
});
