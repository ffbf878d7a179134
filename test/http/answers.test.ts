import { request } from 'node:http';
import { expect } from 'chai';
import { startApi, type TestApi, type TestKey } from '../support/api.ts';
import { probes, resetSlow, slow } from './probes.ts';

describe('answers over HTTP', () => {
  let api: TestApi;
  let reader: TestKey;
  before(async () => {
    api = await startApi({ routes: probes });
    reader = await api.newKey({ scopes: ['jobs:read', 'jobs:cancel'] });
  });
  after(() => api.close());

  describe('the envelope', () => {
    it('has data, meta and error, whatever happens', async () => {
      const accepted = await api.get('/v1/probes/first');
      expect(Object.keys(accepted.body)).to.deep.equal(['data', 'meta', 'error']);
      expect(accepted.body).to.deep.include({ meta: {}, error: null });

      const refused = await api.get('/v1/nowhere');
      expect(Object.keys(refused.body)).to.deep.equal(['data', 'meta', 'error']);
      expect(refused.body).to.deep.include({ data: null, meta: {} });
      expect(refused.body.error.code).to.equal('not_found');
      expect(refused.body.error.message).to.be.a('string');
    });

    it('holds a stored document byte for byte', async () => {
      const { text } = await api.get('/v1/probes/stored');
      expect(text).to.equal('{"data":{ "stored":  true },"meta":{},"error":null}');
    });

    it('comes as JSON, with its length', async () => {
      const { headers, text } = await api.get('/v1/probes/first?text=%C3%A9');
      expect(headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
      expect(headers.get('Content-Length')).to.equal(String(Buffer.byteLength(text)));
    });
  });

  describe('X-Request-Id', () => {
    it('is a fresh id when none was sent', async () => {
      const first = (await api.get('/v1/probes/first')).headers.get('X-Request-Id');
      const second = (await api.get('/v1/nowhere')).headers.get('X-Request-Id');
      expect(first).to.match(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(second).to.match(/^req_/).and.not.equal(first);
    });

    it('is ours whatever was sent; a harmless one comes back beside it', async () => {
      const harmless = ['a', 'A-1_2.3', 'x'.repeat(128), 'req_01kb3j5m8xe3vb0v6yq4s5t7wr'];
      for (const id of [...harmless, 'x'.repeat(129), 'a b', '<script>', 'a,b', 'ü']) {
        const { headers } = await api.get('/v1/probes/first', { headers: { 'X-Request-Id': id } });
        expect(headers.get('X-Request-Id')).to.match(/^req_/).and.not.equal(id);
        expect(headers.get('X-Client-Request-Id')).to.equal(harmless.includes(id) ? id : null);
      }
    });

    it('stands in the log beside the operation, never the address or the key', async () => {
      const path = '/v1/revised-probe?t=signature-of-the-address';
      await api.get(path, { key: reader.key, headers: { 'X-Request-Id': 'find-me' } });

      const line = api.logged().find(({ clientRequestId }) => clientRequestId === 'find-me');
      expect(line).to.include({
        operation: 'revisedProbe',
        route: '/v1/revised-probe',
        method: 'GET',
        status: 400,
      });
      expect(line).to.include({ keyId: reader.keyId, code: 'invalid_request' });
      expect(line?.['durationMs']).to.be.a('number');
      const all = JSON.stringify(api.logged());
      expect(all).to.not.include(reader.key);
      expect(all).to.not.include('signature-of-the-address');
    });
  });

  describe('ETag', () => {
    it('follows the text of a public read, and 304 says that it is the same', async () => {
      const first = await api.get('/v1/probes/first?limit=1');
      const etag = first.headers.get('ETag') ?? '';
      expect(etag).to.match(/^"[^"]+"$/);
      expect(first.headers.get('Cache-Control')).to.equal('public, max-age=60');

      for (const sent of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
        const again = await api.get('/v1/probes/first?limit=1', { headers: { 'If-None-Match': sent } });
        expect([again.status, again.text]).to.deep.equal([304, '']);
        expect(again.headers.get('ETag')).to.equal(etag);
        expect(again.headers.get('Cache-Control')).to.equal('public, max-age=60');
      }
      const other = await api.get('/v1/probes/first?limit=2', { headers: { 'If-None-Match': etag } });
      expect(other.status).to.equal(200);
      expect(other.headers.get('ETag')).to.not.equal(etag);
    });

    it('is the revision where there is one, also for callers with a key', async () => {
      expect((await api.get('/v1/probes/stored')).headers.get('ETag')).to.equal('"r7"');

      const own = await api.get('/v1/revised-probe', { key: reader.key });
      expect(own.headers.get('ETag')).to.equal('"r7"');
      expect(own.headers.get('Cache-Control')).to.equal('private, no-cache');
      const again = await api.get('/v1/revised-probe', {
        key: reader.key,
        headers: { 'If-None-Match': '"r7"' },
      });
      expect(again.status).to.equal(304);
    });

    it('is not given where nothing may be kept', async () => {
      for (const answer of [
        await api.get('/v1/plain-probe', { key: reader.key }),
        await api.post('/v1/probes', { label: 'a' }, { key: reader.key }),
        await api.get('/v1/probes/FIRST'),
        await api.get('/v1/revised-probe'),
      ]) {
        expect(answer.headers.get('ETag')).to.equal(null);
        expect(answer.headers.get('Cache-Control')).to.equal('no-store');
      }
    });
  });

  describe('methods', () => {
    it('HEAD answers as GET without the body', async () => {
      for (const path of ['/v1/probes/first', '/v1/cold-probes/first', '/v1/probes/FIRST']) {
        const get = await api.get(path);
        const head = await api.send('HEAD', path);
        expect([head.status, head.text]).to.deep.equal([get.status, '']);
        for (const name of ['Content-Length', 'Content-Type', 'ETag', 'Cache-Control']) {
          expect(head.headers.get(name), name).to.equal(get.headers.get(name));
        }
      }
    });

    it('refuses others with 405 and says which there are', async () => {
      for (const [method, path, allow] of [
        ['POST', '/v1/probes/first', 'GET, HEAD, OPTIONS'],
        ['DELETE', '/v1/probes/stored', 'GET, HEAD, OPTIONS'],
        ['GET', '/v1/probes', 'POST, OPTIONS'],
        ['PROPFIND', '/v1/probes', 'POST, OPTIONS'],
      ] as const) {
        const { status, headers, body } = await api.send(method, path);
        expect([status, headers.get('Allow'), body.error.code]).to.deep.equal([
          405,
          allow,
          'method_not_allowed',
        ]);
      }
    });

    it('knows one address for one thing', async () => {
      for (const path of [
        '/v1/probes/first/',
        '/V1/probes/first',
        '//v1/probes/first',
        '/v1//probes/first',
        '/v1',
        '/%2e%2e/nothing',
      ]) {
        const { status, body } = await api.get(path);
        expect([path, status, body.error.code]).to.deep.equal([path, 404, 'not_found']);
      }
    });
  });

  describe('other origins', () => {
    it('may read what is public, and its header fields', async () => {
      for (const path of ['/v1/probes/first', '/v1/probes/FIRST', '/v1/probes/stored', '/openapi.json']) {
        const { headers } = await api.get(path, { headers: { Origin: 'https://elsewhere.example' } });
        expect(headers.get('Access-Control-Allow-Origin')).to.equal('*');
        for (const name of [
          'ETag',
          'RateLimit',
          'RateLimit-Policy',
          'Retry-After',
          'X-Request-Id',
          'X-Client-Request-Id',
          'Location',
          'Link',
          'Idempotent-Replayed',
          'X-Quota-Remaining',
          'PAYMENT-REQUIRED',
        ]) {
          expect(headers.get('Access-Control-Expose-Headers')?.split(', ')).to.include(name);
        }
      }
    });

    it('may ask before', async () => {
      const headers = {
        Origin: 'https://elsewhere.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'if-none-match',
      };
      const preflight = await api.send('OPTIONS', '/v1/probes/first', { headers });
      expect([preflight.status, preflight.text]).to.deep.equal([204, '']);
      expect(preflight.headers.get('Access-Control-Allow-Origin')).to.equal('*');
      expect(preflight.headers.get('Access-Control-Allow-Methods')).to.equal('GET, HEAD');
      expect(preflight.headers.get('Access-Control-Allow-Headers')).to.match(/If-None-Match/);
    });

    it('may not read what needs a key', async () => {
      for (const [method, path] of [
        ['GET', '/v1/revised-probe'],
        ['OPTIONS', '/v1/revised-probe'],
        ['OPTIONS', '/v1/probes'],
      ] as const) {
        const { headers } = await api.send(method, path, {
          key: reader.key,
          headers: { Origin: 'https://elsewhere.example' },
        });
        expect(headers.get('Access-Control-Allow-Origin')).to.equal(null);
      }
    });
  });

  it('tell nothing of what serves them, and are taken for nothing else', async () => {
    for (const path of ['/v1/probes/first', '/v1/cold-probes/first', '/v1/nowhere', '/openapi.json']) {
      const { headers } = await api.get(path);
      expect(headers.get('X-Powered-By')).to.equal(null);
      expect(headers.get('Server')).to.equal(null);
      expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
      expect(headers.get('Content-Security-Policy')).to.include("default-src 'none'");
    }
  });

  describe('when something breaks', () => {
    it('is a 500 that shows nothing of its cause; the log has it', async () => {
      const { status, text, headers, body } = await api.get('/v1/failures/bug');
      const id = headers.get('X-Request-Id') ?? '';

      expect([status, body.error.code]).to.deep.equal([500, 'internal']);
      expect(text).to.not.include('secret cause');
      expect(body.error.message).to.include(id);
      expect(headers.get('Cache-Control')).to.equal('no-store');
      const logged = api.logged().find(({ requestId, level }) => requestId === id && level === 'error');
      expect(JSON.stringify(logged)).to.include('the secret cause').and.include('probes.ts');
    });

    for (const how of ['store', 'views', 'blobs', 'unknown', 'overloaded', 'contended']) {
      it(`says when to come back after ${how}`, async () => {
        const { status, headers, text, body } = await api.get(`/v1/failures/${how}`);

        expect([status, body.error.code]).to.deep.equal([503, 'unavailable']);
        expect(Number(headers.get('Retry-After'))).to.be.at.least(1);
        expect(text).to.not.match(/somewhere|sqlite|who knows|others/i);
      });
    }

    it('tells an operation that its caller has gone', async () => {
      resetSlow();
      const leaving = request(`${api.url}/v1/probes/slow`);
      leaving.on('error', () => undefined);
      leaving.end();
      await slow.started.promise;
      leaving.destroy();

      expect(await slow.finish.promise).to.equal('the caller has gone');
    });
  });
});
