import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { StoreUnavailable } from '../../events/event-store.ts';
import { createFolderBlobs } from '../../infra/folder/blobs.ts';
import { unnamedBlob } from '../../src/background/unnamed-blobs.ts';
import { linkedArtifactSchema } from '../../src/operations/artifacts/artifact-schema.ts';
import { removeUnnamedBlob } from '../../src/tasks/remove-unnamed-blob.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import type { TestAnswer } from '../support/api.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';

describe('Artifacts', () => {
  let api: JobApi;
  let folder: TempFolder;
  before(async () => {
    folder = await tempFolder();
    api = await startJobApi();
    Object.assign(api.services, { blobs: createFolderBlobs(folder.file('artifacts')) });
  });
  after(async () => {
    await api.close();
    await folder.remove();
  });

  const put = (jobId: string, name: string, rawBody: string | Uint8Array, headers = {}, key = api.agency) =>
    api.send('PUT', `/v1/provider/jobs/${jobId}/artifacts/${encodeURIComponent(name)}`, {
      key: key.key,
      rawBody,
      headers,
    });
  const list = async (jobId: string) =>
    z.array(linkedArtifactSchema).parse((await api.get(`/v1/jobs/${jobId}/artifacts`, api.buyer)).body.data);
  const pathOf = (url: string): string => url.slice('http://market.test'.length);
  const download = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  it('go from the agency to the buyer, byte for byte', async () => {
    const jobId = await api.jobIn('running');
    const bytes = randomBytes(300_000);
    const answer = await put(jobId, 'Bericht (ä).bin', bytes, { 'X-Content-SHA256': sha256(bytes) });
    expect(answer.status, answer.text).to.equal(200);
    const [listed] = await list(jobId);
    expect(listed).to.include({ name: 'Bericht (ä).bin', size: bytes.length, sha256: sha256(bytes) });
    expect((await api.job(jobId)).artifactCount).to.equal(1);

    const got = await download(pathOf(listed!.url));
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).to.equal(true);
    const header = (name: string) => got.headers.get(name);
    expect(header('Content-Disposition')).to.equal(
      `attachment; filename="Bericht (_).bin"; filename*=UTF-8''Bericht%20%28%C3%A4%29.bin`,
    );
    expect([header('X-Content-Type-Options'), header('Cache-Control')]).to.deep.equal([
      'nosniff',
      'no-store',
    ]);
    expect(header('Content-Type')).to.equal('application/octet-stream');
    expect(header('Access-Control-Allow-Origin')).to.equal(null);
  });

  it('resume with Range', async () => {
    const jobId = await api.jobIn('running');
    await put(jobId, 'ten.txt', '0123456789');
    const path = pathOf((await list(jobId))[0]!.url);
    const parts: [string, number, string | null, string | null][] = [
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,3-4', 200, '0123456789', null],
      ['lines=1-2', 200, '0123456789', null],
      ['bytes=10-', 416, null, 'bytes */10'],
    ];
    for (const [Range, status, text, contentRange] of parts) {
      const got = await download(path, { Range });
      expect([got.status, got.headers.get('Content-Range')], Range).to.deep.equal([status, contentRange]);
      const body = await got.text();
      if (text !== null) expect(body, Range).to.equal(text);
    }
    const tag = (await download(path)).headers.get('ETag')!;
    expect((await download(path, { Range: 'bytes=1-1', 'If-Range': tag })).status).to.equal(206);
    expect((await download(path, { Range: 'bytes=1-1', 'If-Range': '"other"' })).status).to.equal(200);
    const head = await fetch(api.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('Content-Length')]).to.deep.equal([200, '10']);
    const ranged = await fetch(api.url + path, { method: 'HEAD', headers: { Range: 'bytes=90-' } });
    expect([ranged.status, ranged.headers.get('Content-Length')], 'a range is of GET').to.deep.equal([
      200,
      '10',
    ]);
  });

  it('open to nobody who changed the address, or comes late', async () => {
    const jobId = await api.jobIn('running');
    await put(jobId, 'a.txt', 'a');
    await put(jobId, 'b.txt', 'b');
    const [one, other] = await list(jobId);
    const path = pathOf(one!.url);
    const exp = /exp=(\d+)/.exec(path)![1]!;
    const changed = [
      path.replace(exp, String(Number(exp) + 1)),
      path.replace(one!.id, other!.id),
      path.replace(one!.id, 'art_x'),
      path.slice(0, -1),
      `${path}A`,
      `${path}&x=1`,
      path.replace(/&sig=.*/, ''),
      path.replace(/exp=\d+&/, ''),
      path.replace('exp=', 'exp=0'),
      path.replace(/\?.*/, ''),
    ];
    for (const wrong of changed) expect((await download(wrong)).status, wrong).to.equal(403);
    const late = Math.floor(Date.now() / 1_000) - 1;
    const sig = api.services.signer.sign('artifact', `${one!.id}\n${late}`);
    expect((await download(`/artifacts/${one!.id}?exp=${late}&sig=${sig}`)).status).to.equal(403);
    expect((await download(path)).status).to.equal(200);
    expect(Date.parse(one!.urlExpiresAt) - Date.now()).to.be.within(14 * 60_000, 15 * 60_000);
  });

  it('are replaced by name, and left alone by the same bytes', async () => {
    const jobId = await api.jobIn('running');
    const first = await put(jobId, 'a.csv', 'a,b\n', { 'Content-Type': 'text/csv' });
    const same = await put(jobId, 'a.csv', 'a,b\n', { 'Content-Type': 'text/csv' });
    expect(same.body.data).to.deep.equal(first.body.data);
    const next = await put(jobId, 'a.csv', 'a,c\n', { 'Content-Type': 'text/csv' });
    const listed = await list(jobId);
    expect(listed.map(({ id }) => id)).to.deep.equal([next.body.data['id']]);
    expect(listed[0]!.contentType).to.equal('text/csv');
  });

  describe('under an Idempotency-Key', () => {
    const told = ({ status, headers, body }: TestAnswer) => [
      status,
      headers.get('Idempotent-Replayed'),
      status === 200 ? body.data['sha256'] : body.error.code,
    ];
    const [one, two] = [sha256(Buffer.from('one')), sha256(Buffer.from('two'))];

    it('are told apart by their bytes, which the caller need not name', async () => {
      const jobId = await api.jobIn('running');
      const send = (key: string, bytes: string) => put(jobId, 'a.txt', bytes, { 'Idempotency-Key': key });
      expect(told(await send('k1', 'one'))).to.deep.equal([200, null, one]);
      expect(told(await send('k1', 'one'))).to.deep.equal([200, 'true', one]);
      expect(told(await send('k1', 'two'))).to.deep.equal([422, null, 'idempotency_mismatch']);
      expect(told(await send('k2', 'two'))).to.deep.equal([200, null, two]);
      expect(told(await send('k1', 'two'))).to.deep.equal([422, null, 'idempotency_mismatch']);
      expect(told(await send('k1', 'one'))).to.deep.equal([200, 'true', one]);
      expect((await list(jobId)).map((file) => file.sha256)).to.deep.equal([two]);
      await api.act('complete', jobId);
      expect(told(await send('k2', 'two'))).to.deep.equal([200, 'true', two]);
      expect(told(await send('k3', 'two'))).to.deep.equal([409, null, 'job_state']);
    });

    it('are told apart too where the first one stands in the way of its own condition', async () => {
      const jobId = await api.jobIn('running');
      const headers = { 'Idempotency-Key': 'k1', 'If-None-Match': '*' };
      for (const expected of [
        ['one', 200, null, one],
        ['two', 422, null, 'idempotency_mismatch'],
        ['one', 200, 'true', one],
      ])
        expect(told(await put(jobId, 'a.txt', String(expected[0]), headers))).to.deep.equal(
          expected.slice(1),
        );
    });

    it('are told apart when they come at once', async () => {
      const jobId = await api.jobIn('running');
      const headers = { 'Idempotency-Key': 'k1' };
      const answers = await Promise.all(
        ['one', 'two', 'one', 'two'].map((bytes) => put(jobId, 'a.txt', bytes, headers)),
      );
      const [listed] = await list(jobId);
      for (const [i, { status, body }] of answers.entries()) {
        const isKept = listed?.sha256 === (i % 2 === 0 ? one : two);
        expect(status, JSON.stringify(body)).to.equal(isKept ? 200 : 422);
      }
    });
  });

  it('are what their bytes are, whatever is said of them', async () => {
    const jobId = await api.jobIn('running');
    const cases: [string | Uint8Array, string, string][] = [
      ['<script>alert(1)</script>', 'text/html', 'text/plain'],
      ['%PDF-1.7', 'text/plain', 'application/pdf'],
      [Buffer.from('89504e470d0a1a0a', 'hex'), 'text/html', 'image/png'],
      ['{"a":1}', 'application/json', 'application/json'],
      [Buffer.from([0, 1, 2, 3]), 'text/plain', 'application/octet-stream'],
      ['', 'text/csv', 'text/csv'],
    ];
    for (const [i, [bytes, declared, type]] of cases.entries()) {
      const answer = await put(jobId, `${i}.x`, bytes, { 'Content-Type': declared });
      expect(answer.body.data['contentType']).to.equal(type);
    }
    const empty = (await list(jobId)).at(-1)!;
    expect(await (await download(pathOf(empty.url))).text()).to.equal('');
  });

  it('leave nothing when they do not arrive whole, as announced, or in size', async () => {
    const jobId = await api.jobIn('running');
    const wrong = await put(jobId, 'a.txt', 'a', { 'X-Content-SHA256': sha256(Buffer.from('b')) });
    expect([wrong.status, wrong.body.error.code]).to.deep.equal([400, 'invalid_request']);

    const large = await refusedEarly(jobId, 100 * 1024 * 1024 + 1);
    expect(large).to.equal(413);
    await abort(jobId);
    await abort(jobId);
    const drafts = folder.file('artifacts/drafts');
    while ((await readdir(drafts)).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await list(jobId)).to.deep.equal([]);
  });

  it('have names that are safe to save under', async () => {
    const jobId = await api.jobIn('running');
    for (const name of ['a/b', 'a\\b', 'x\u0000', ' a', 'a.', 'x'.repeat(201), 'a:b', '\u202egpj.exe']) {
      const { status, body } = await put(jobId, name, 'x');
      expect([status, body.error.code, body.error.details?.[0]?.path], name).to.deep.equal([
        400,
        'invalid_request',
        'name',
      ]);
    }
    // The client itself takes this one out of the address.
    expect((await put(jobId, '..', 'x')).status).to.equal(404);
  });

  it('are for the agency and the owner alone', async () => {
    const jobId = await api.jobIn('running');
    const stranger = await api.newKey({ scopes: ['provider:fulfil'], agency: 'another-agency' });
    expect((await put(jobId, 'a.txt', 'a', {}, stranger)).status).to.equal(404);
    const other = await api.newKey({ scopes: ['jobs:read'] });
    expect((await api.get(`/v1/jobs/${jobId}/artifacts`, other)).status).to.equal(404);
  });

  it('are removed after a day where they were stored and came to no event', async () => {
    const jobId = await api.jobIn('running');
    const { commands, queue } = api.services;
    let nowMs = Date.now();
    const later = createMemoryQueue(() => nowMs);
    Object.assign(api.services, { queue: later });
    expect((await put(jobId, 'kept.txt', 'kept')).status).to.equal(200);
    const failing = { ...commands, run: () => Promise.reject(new StoreUnavailable('the log is away')) };
    Object.assign(api.services, { commands: { ...failing, within: () => failing } });
    expect((await put(jobId, 'lost.txt', 'lost')).status).to.equal(503);
    Object.assign(api.services, { commands, queue });

    const kind = removeUnnamedBlob(api.services);
    const isThere = async (key: string): Promise<boolean> => {
      const bytes = await api.services.blobs.open(key, 0, 9);
      for await (const _ of bytes ?? []);
      return bytes !== null;
    };
    expect(await later.claim(kind.name, 9, 1_000)).to.deep.equal([]);
    nowMs += 24 * 60 * 60_000 + 60_000;
    const tasks = await later.claim(kind.name, 9, 1_000);
    const keys = tasks.map(({ payload }) => unnamedBlob.parse(JSON.parse(payload)).key);
    expect(await Promise.all(keys.map(isThere))).to.deep.equal([true, true]);
    for (const task of tasks)
      await kind.run(task, { nowMs, retryAtMs: () => nowMs, signal: new AbortController().signal });
    expect(await Promise.all(keys.map(isThere))).to.deep.equal([true, false]);
    const [kept] = await list(jobId);
    expect(kept?.id).to.equal(keys[0]);
    expect(await (await download(pathOf(kept!.url))).text()).to.equal('kept');
  });

  function headersOf(length: number) {
    return { Authorization: `Bearer ${api.agency.key}`, 'Content-Length': String(length) };
  }

  async function refusedEarly(jobId: string, length: number): Promise<number> {
    const url = `${api.url}/v1/provider/jobs/${jobId}/artifacts/large.bin`;
    return new Promise((resolve, reject) => {
      const req = request(url, { method: 'PUT', headers: headersOf(length) }, (res) => {
        resolve(res.statusCode ?? 0);
        req.destroy();
      });
      req.on('error', reject);
      req.write('the beginning');
    });
  }

  async function abort(jobId: string): Promise<void> {
    const url = `${api.url}/v1/provider/jobs/${jobId}/artifacts/half.bin`;
    await new Promise<void>((resolve) => {
      const req = request(url, { method: 'PUT', headers: headersOf(1_000_000) });
      req.on('error', () => resolve());
      req.write(randomBytes(500_000), () => setTimeout(() => req.destroy(), 20));
    });
  }
});
