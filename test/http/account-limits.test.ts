import { expect } from 'chai';
import { createAccountLimits, type Demand } from '../../src/calling/account-limits.ts';
import { pushRateLimits } from '../../src/transport/send.ts';
import type { LimitResult } from '../../src/calling/limits.ts';
import { rpc } from '../mcp/mcp-fixture.ts';
import { startApi, type ApiOptions } from '../support/api.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { probes } from './probes.ts';

const AMPLE = { requestsPerMinute: 1_000, trialsPerDay: 1_000, bytesPerDay: 1_000_000 };
function told({ states }: LimitResult): string[] {
  const headers: string[] = [];
  pushRateLimits(headers, states);
  return headers;
}

const request: Demand = { requests: 1, trials: 0, bytes: 0 };

describe('what one account may ask for', () => {
  const start = Date.parse('2026-11-27T09:30:00.000Z');

  it('is exactly its number of requests, and the full number again when the minute is over', () => {
    const take = createAccountLimits({ ...AMPLE, requestsPerMinute: 2 });
    expect(told(take('acc_a', request, start)).join(' ')).to.equal(
      'RateLimit-Policy "account";q=2;w=60 RateLimit "account";r=1;t=60',
    );
    expect(told(take('acc_a', request, start + 20_500))).to.include('"account";r=0;t=40');
    const { refusal } = take('acc_a', request, start + 20_500);
    expect(refusal).to.deep.include({ code: 'rate_limited', retryAfterSeconds: 40 });
    expect(refusal?.message).to.equal('An account may send 2 requests in a minute; try again in 40 s.');
    expect(refusal?.details).to.deep.equal([
      { path: 'account', message: 'requests in a minute are limited', limit: '2', value: '2' },
    ]);
    expect(take('acc_b', request, start + 20_500).refusal).to.equal(null);
    expect(take('acc_a', request, start + 59_999).refusal).not.to.equal(null);
    expect(take('acc_a', request, start + 60_000).refusal).to.equal(null);
  });

  it('is counted anew when the clock was set back', () => {
    const take = createAccountLimits({ ...AMPLE, requestsPerMinute: 1 });
    take('acc_a', request, start);
    expect(take('acc_a', request, start - 3_600_000).refusal).to.equal(null);
  });

  it('is so many trials a day, told beside the requests', () => {
    const take = createAccountLimits({ ...AMPLE, trialsPerDay: 1 });
    const trial: Demand = { requests: 1, trials: 1, bytes: 100 };
    expect(told(take('acc_a', trial, start)).join(' ')).to.equal(
      'RateLimit-Policy "account";q=1000;w=60, "trials";q=1;w=86400 ' +
        'RateLimit "account";r=999;t=60, "trials";r=0;t=86400',
    );
    expect(take('acc_a', trial, start + 3_600_000).refusal).to.deep.include({ retryAfterSeconds: 82_800 });
    expect(take('acc_a', request, start + 3_600_000).refusal).to.equal(null);
    expect(take('acc_a', trial, start + 86_400_000).refusal).to.equal(null);
  });

  it('is so many bytes a day, of which a refused request takes none', () => {
    const take = createAccountLimits({ ...AMPLE, bytesPerDay: 1_000 });
    const sending = (bytes: number): Demand => ({ ...request, bytes });
    expect(take('acc_a', sending(900), start).refusal).to.equal(null);
    expect(take('acc_a', sending(101), start).refusal?.message).to.match(/1000 bytes of bodies in a day/);
    expect(take('acc_a', sending(100), start).refusal).to.equal(null);
  });

  it('gives back no more than was counted', () => {
    const take = createAccountLimits({ ...AMPLE, bytesPerDay: 1_000 });
    take('acc_a', { ...request, bytes: 100 }, start);
    expect(take('acc_a', { requests: 0, trials: 0, bytes: -900 }, start + 86_400_000).refusal).to.equal(null);
    expect(take('acc_a', { ...request, bytes: 1_001 }, start + 86_400_000).refusal).not.to.equal(null);
  });

  it('takes bounded memory: the account that came first is forgotten first', () => {
    const take = createAccountLimits({ ...AMPLE, requestsPerMinute: 1 }, 2);
    for (const account of ['acc_a', 'acc_b', 'acc_c']) take(account, request, start);
    expect(take('acc_c', request, start).refusal).not.to.equal(null);
    expect(take('acc_a', request, start).refusal).to.equal(null);
  });
});

describe('the limits of an account over HTTP', () => {
  let api: JobApi | undefined;
  afterEach(() => api?.close());
  const startJobs = async (options: ApiOptions): Promise<JobApi> => (api = await startJobApi(options));

  it('hold for all its keys together, and for nobody else', async () => {
    const { get, newKey } = await startJobs({ accountBounds: { ...AMPLE, requestsPerMinute: 3 } });
    const [first, second] = [await newKey({ account: 'shared' }), await newKey({ account: 'shared' })];
    const asked = [first, second, first, second].map(({ key }) => get('/v1/jobs', { key }));
    const answers = await Promise.all(asked);
    const refusals = answers.filter(({ status }) => status !== 200);
    expect(refusals.map(({ status }) => status)).to.deep.equal([429]);
    const [refused] = refusals;
    expect(refused?.body.error.code).to.equal('rate_limited');
    expect(Number(refused?.headers.get('Retry-After'))).to.be.within(1, 60);
    expect((await get('/v1/jobs', await newKey())).status).to.equal(200);
  });

  it('let no more trials through than their number, over REST and MCP together', async () => {
    const { post, url, newKey } = await startJobs({ accountBounds: { ...AMPLE, trialsPerDay: 2 } });
    const { key } = await newKey();
    const trial = { agent: 'invoice-matcher', brief: 'Match them.' };
    const made = await post('/v1/trials', trial, { key });
    expect([made.status, made.headers.get('RateLimit')]).to.deep.equal([
      201,
      '"account";r=999;t=60, "trials";r=1;t=86400',
    ]);
    const call = (idempotencyKey: string) => {
      const params = { name: 'create_trial_run', arguments: { ...trial, idempotencyKey } };
      const message = { jsonrpc: '2.0', id: idempotencyKey, method: 'tools/call', params };
      return rpc(`${url}/mcp`, message, { Authorization: `Bearer ${key}` });
    };
    expect((await call('one')).body.result).not.to.have.property('isError');
    expect((await call('two')).text).to.match(/rate_limited: An account may send 2 trials in a day/);
    const refused = await post('/v1/trials', trial, { key });
    expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'rate_limited']);
  });

  it('count neither a trial nor bytes of a key that may not make one, but its request', async () => {
    const accountBounds = { requestsPerMinute: 3, trialsPerDay: 1, bytesPerDay: 150_000 };
    const { post, newKey } = await startJobs({ accountBounds });
    const [reader, buyer] = [
      await newKey({ account: 'shared', scopes: ['jobs:read'] }),
      await newKey({ account: 'shared' }),
    ];
    const trial = { agent: 'invoice-matcher', brief: 'x'.repeat(90_000) };
    const asked = [await post('/v1/trials', trial, reader), await post('/v1/trials', trial, reader)];
    expect(asked.map(({ body }) => body.error.code)).to.deep.equal(['scope_missing', 'scope_missing']);
    const made = await post('/v1/trials', { agent: 'invoice-matcher', brief: 'Match them.' }, buyer);
    expect(made.status, made.text).to.equal(201);
    expect((await post('/v1/trials', trial, reader)).body.error.code).to.equal('rate_limited');
  });

  it('count a command without a body as 1 KiB, refused or not, over REST and MCP together', async () => {
    const { post, get, url, newKey } = await startJobs({ accountBounds: { ...AMPLE, bytesPerDay: 4_096 } });
    const { key } = await newKey({ scopes: ['jobs:read', 'jobs:cancel', 'webhooks:manage'] });
    const job = 'job_01hf7yat00rwgs5arp6n0se5rg';
    expect((await post(`/v1/jobs/${job}/cancel`, undefined, { key })).status).to.equal(404);
    expect((await post(`/v1/webhook-endpoints/${job}/disable`, undefined, { key })).status).to.equal(404);
    const cancel = async () => {
      const params = { name: 'cancel_job', arguments: { jobId: job } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return (await rpc(`${url}/mcp`, message, { Authorization: `Bearer ${key}` })).text;
    };
    expect(await cancel()).to.match(/not_found/);
    expect(await cancel()).to.match(/rate_limited: An account may send 4096 bytes of bodies in a day/);
    expect((await post(`/v1/jobs/${job}/cancel`, undefined, { key })).status).to.equal(429);
    expect((await get('/v1/jobs', { key })).status).to.equal(200);
  });

  it('count bodies before they are read, and those of unknown size as large as they may be until then', async () => {
    const { url, send, newKey } = await startJobs({ accountBounds: { ...AMPLE, bytesPerDay: 300_000 } });
    const { key } = await newKey();
    const trial = JSON.stringify({ agent: 'invoice-matcher', brief: 'Match them.' });
    const headers = { 'Content-Type': 'application/json' };
    expect((await send('POST', '/v1/trials', { key, headers, rawBody: trial })).status).to.equal(201);
    const sendChunked = async (path: string, body: string, type = 'application/json'): Promise<number> => {
      const chunks = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(body));
          controller.close();
        },
      });
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { 'Content-Type': type, Authorization: `Bearer ${key}` },
        body: chunks,
        duplex: 'half',
      } as RequestInit);
      await answer.text();
      return answer.status;
    };
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    for (let again = 0; again < 2; again += 1) {
      expect(await sendChunked('/v1/trials', trial)).to.equal(201);
      expect(await sendChunked('/v1/trials', '{')).to.equal(400);
      expect(await sendChunked('/v1/trials', trial, 'text/plain')).to.equal(415);
      expect(await sendChunked('/mcp', ping)).to.equal(200);
    }
    const large = JSON.stringify({ agent: 'invoice-matcher', brief: 'x'.repeat(40_000) });
    expect((await send('POST', '/v1/trials', { key, headers, rawBody: large })).status).to.equal(400);
    expect(await sendChunked('/v1/trials', trial), 'what is left is less than it may be').to.equal(429);
    expect(await sendChunked('/mcp', ping)).to.equal(429);
    expect((await send('POST', '/v1/trials', { key, headers, rawBody: trial })).status).to.equal(201);
  });
});

describe('a read that needs no key, with one', () => {
  it('counts against the account and not against the address', async () => {
    const api = await startApi({ routes: probes, publicRateLimit: 1 });
    try {
      const { key } = await api.newKey();
      for (let i = 0; i < 3; i += 1) {
        const answer = await api.get('/v1/probes/first', { key });
        expect([answer.status, answer.headers.get('RateLimit-Policy')]).to.deep.equal([
          200,
          '"account";q=1000000;w=60',
        ]);
      }
      expect((await api.get('/v1/probes/first')).headers.get('RateLimit')).to.match(/"public";r=0/);
      expect((await api.get('/v1/probes/first')).status).to.equal(429);
      expect((await api.get('/v1/probes/first', { key })).status).to.equal(200);
    } finally {
      await api.close();
    }
  });
});
