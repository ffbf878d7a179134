import { expect } from 'chai';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { startApi, type ApiOptions, type TestApi } from '../support/api.ts';
import { probes } from './probes.ts';

describe('the limit on public reads', () => {
  let api: TestApi | undefined;
  afterEach(() => api?.close());

  const start = async (options: ApiOptions): Promise<TestApi> => {
    api = await startApi({ routes: probes, limiter: createMemoryLimiter(60), ...options });
    return api;
  };
  const from = (...addresses: string[]) => ({ headers: { 'X-Forwarded-For': addresses.join(', ') } });

  it('lets exactly its number through, however many come at once', async () => {
    const { get } = await start({ publicRateLimit: 25 });
    const answers = await Promise.all(Array.from({ length: 80 }, () => get('/v1/probes/first')));

    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).to.have.lengthOf(25);
    expect(answers.filter(({ status }) => status === 429)).to.have.lengthOf(55);
    const remaining = passed.map(({ headers }) =>
      Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]),
    );
    expect(remaining.toSorted((a, b) => a - b)).to.deep.equal(
      Array.from({ length: 25 }, (_, index) => index),
    );
  });

  it('says what it is, what remains, and when to come back; and then the window opens', async () => {
    let nowMs = Date.parse('2026-11-27T09:30:00.000Z');
    const { get } = await start({ publicRateLimit: 2, now: () => nowMs });

    const first = await get('/v1/probes/first');
    expect(first.headers.get('RateLimit-Policy')).to.equal('"public";q=2;w=60');
    expect(first.headers.get('RateLimit')).to.equal('"public";r=1;t=60');
    nowMs += 20_500;
    expect((await get('/v1/probes/first')).headers.get('RateLimit')).to.equal('"public";r=0;t=40');

    const refused = await get('/v1/probes/first');
    expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'rate_limited']);
    expect(refused.headers.get('RateLimit')).to.equal('"public";r=0;t=40');
    expect(refused.headers.get('Retry-After')).to.equal('40');

    nowMs += 39_499;
    const early = await get('/v1/probes/first');
    expect([early.status, early.headers.get('Retry-After')]).to.deep.equal([429, '1']);
    nowMs += 1;
    expect((await get('/v1/probes/first')).status).to.equal(200);
  });

  it('counts every public read, also those that are refused or not modified, and nothing else', async () => {
    const { get, post, send, newKey } = await start({ publicRateLimit: 100 });
    const { key } = await newKey({ scopes: ['jobs:read', 'jobs:cancel'] });
    await get('/v1/revised-probe', { key });
    await post('/v1/probes', { label: 'a' }, { key });
    await get('/openapi.json');
    await get('/v1/nowhere');
    await send('OPTIONS', '/v1/probes/first');

    expect((await get('/v1/probes/stored')).headers.get('RateLimit')).to.match(/r=99/);
    await get('/v1/probes/stored', { headers: { 'If-None-Match': '"r7"' } });
    await send('HEAD', '/v1/probes/stored');
    await get('/v1/probes/FIRST');
    await get('/v1/probes/first?zz=1');
    await get('/v1/cold-probes/first');
    expect((await get('/v1/probes/stored')).headers.get('RateLimit')).to.match(/r=93/);
  });

  it('never believes a header field without trusted proxies', async () => {
    const { get } = await start({ publicRateLimit: 1 });
    expect((await get('/v1/probes/first', from('192.0.2.1'))).status).to.equal(200);
    expect((await get('/v1/probes/first', from('192.0.2.2'))).status).to.equal(429);
  });

  it('counts the address that the trusted proxies vouch for, not what the client wrote before it', async () => {
    const { get } = await start({ publicRateLimit: 1, trustProxyHops: 2 });
    expect((await get('/v1/probes/first', from('192.0.2.1', '10.0.0.1'))).status).to.equal(200);
    expect((await get('/v1/probes/first', from('198.51.100.7', '192.0.2.1', '10.0.0.2'))).status).to.equal(
      429,
    );
    expect((await get('/v1/probes/first', from('192.0.2.1', '192.0.2.2', '10.0.0.1'))).status).to.equal(200);
  });

  it('counts an IPv6 network as one', async () => {
    const { get } = await start({ publicRateLimit: 1, trustProxyHops: 1 });
    expect((await get('/v1/probes/first', from('2001:db8:1:2::1'))).status).to.equal(200);
    expect((await get('/v1/probes/first', from('2001:db8:1:2:ffff:ffff:ffff:ffff'))).status).to.equal(429);
    expect((await get('/v1/probes/first', from('2001:db8:1:3::1'))).status).to.equal(200);
  });
});
