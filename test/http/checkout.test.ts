import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { startApi, type TestAnswer, type TestApi } from '../support/api.ts';
import { publishExamples } from '../support/memory-market.ts';

describe('the test checkout', () => {
  let api: TestApi;
  let nowMs = Date.now();
  before(async () => {
    api = await startApi({ now: () => nowMs });
    await publishExamples(api.services);
  });
  after(() => api.close());
  beforeEach(() => {
    nowMs = Date.now();
  });

  interface Draft {
    readonly jobId: string;
    /** The path and query of the funding URL. */
    readonly path: string;
    /** What pays. */
    readonly token: string;
    readonly cancelToken: string;
    readonly key: string;
    readonly status: () => Promise<unknown>;
    readonly spentCents: () => Promise<unknown>;
  }

  const draft = async (): Promise<Draft> => {
    const scopes = ['trials:create', 'jobs:read', 'jobs:cancel', 'mandate:read'] as const;
    const { key } = await api.newKey({ scopes });
    const { body } = await api.post('/v1/trials', { agent: 'invoice-matcher', brief: 'Match.' }, { key });
    const { id, fundingUrl } = body.data;
    const url = new URL(String(fundingUrl));
    return {
      jobId: String(id),
      path: url.pathname + url.search,
      token: url.searchParams.get('t') ?? '',
      cancelToken: url.searchParams.get('c') ?? '',
      key,
      status: async () => (await api.get(`/v1/jobs/${String(id)}`, { key })).body.data['status'],
      spentCents: async () => (await api.get('/v1/mandate', { key })).body.data['spentThisPeriodCents'],
    };
  };
  const submit = (jobId: string, action: 'pay' | 'cancel', t: string, c: string = ''): Promise<TestAnswer> =>
    api.send('POST', `/checkout/${jobId}/${action}`, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      rawBody: new URLSearchParams({ t, c }).toString(),
    });

  it('says that it is a test, what is paid for, and how much', async () => {
    const { path, jobId } = await draft();
    const { status, text, headers } = await api.get(path);

    expect(status).to.equal(200);
    expect(text).to.include('test checkout').and.include('No money moves');
    expect(text).to.include('Invoice Matcher').and.include('USD 19.00').and.include(jobId);
    expect(text.match(/<form method="post"/g)).to.have.lengthOf(2);
    expect(headers.get('Content-Type')).to.equal('text/html; charset=utf-8');
  });

  it('is not there where the market takes no payments: a job can only be cancelled', async () => {
    const { path, jobId, token, cancelToken, status } = await draft();
    const other = await startApi({ services: { ...api.services, checkout: 'none' } });
    try {
      const { text } = await other.get(path);
      expect(text).to.include('takes no payments').and.include('/cancel').and.not.include('/pay"');
      const form = {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        rawBody: new URLSearchParams({ t: token, c: cancelToken }).toString(),
      };
      expect((await other.send('POST', `/checkout/${jobId}/pay`, form)).status).to.equal(403);
      expect(await status()).to.equal('draft');
      expect((await other.send('POST', `/checkout/${jobId}/cancel`, form)).status).to.equal(303);
      expect(await status()).to.equal('cancelled');
    } finally {
      await other.close();
    }
  });

  it('keeps scripts, frames, caches and referrers out', async () => {
    const { headers, text } = await api.get((await draft()).path);
    const policy = headers.get('Content-Security-Policy') ?? '';

    expect(policy)
      .to.include("default-src 'none'")
      .and.include("frame-ancestors 'none'")
      .and.include("form-action 'self'");
    expect(policy).to.not.include('unsafe');
    const style = /<style>(?<text>[^<]*)<\/style>/.exec(text)?.groups?.['text'] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).to.include(`style-src 'sha256-${hash}'`);
    expect(headers.get('Cache-Control')).to.equal('no-store');
    expect(headers.get('Referrer-Policy')).to.equal('no-referrer');
    expect(headers.get('X-Request-Id')).to.match(/^req_/);
    expect(text).to.not.include('<script');
  });

  it('pays: the job is funded at once, and the page says so', async () => {
    const { jobId, token, cancelToken, path, status, spentCents } = await draft();
    const paid = await submit(jobId, 'pay', token, cancelToken);

    expect([paid.status, paid.headers.get('Location')]).to.deep.equal([303, path]);
    expect(await status()).to.equal('funded');
    expect(await spentCents()).to.equal(1_900);
    const { text } = await api.get(path);
    expect(text).to.include('is paid').and.not.include('<form');
  });

  it('pays once, however often it is sent', async () => {
    const { jobId, token, status } = await draft();
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit(jobId, 'pay', token)));

    expect(answers.map((answer) => answer.status)).to.deep.equal([303, 303, 303, 303, 303]);
    expect(await status()).to.equal('funded');
  });

  it('cancels: nothing is counted any more, and it cannot be paid', async () => {
    const { jobId, token, cancelToken, path, status, spentCents } = await draft();
    expect((await submit(jobId, 'cancel', token, cancelToken)).status).to.equal(303);

    expect(await status()).to.equal('cancelled');
    expect(await spentCents()).to.equal(0);
    expect((await submit(jobId, 'pay', token)).status).to.equal(303);
    expect(await status()).to.equal('cancelled');
    expect((await api.get(path)).text)
      .to.include('was cancelled')
      .and.not.include('<form');
  });

  it('does not cancel what is paid', async () => {
    const { jobId, token, cancelToken, status } = await draft();
    await submit(jobId, 'pay', token);
    await submit(jobId, 'cancel', token, cancelToken);
    expect(await status()).to.equal('funded');
  });

  it('is over when the draft’s time is', async () => {
    const { jobId, token, path, status } = await draft();
    // A little later than a day: the draft may be younger than this test's clock.
    nowMs += 24 * 60 * 60 * 1_000 + 60_000;

    expect((await api.get(path)).text)
      .to.include('has expired')
      .and.not.include('<form');
    await submit(jobId, 'pay', token);
    expect(await status()).to.not.equal('funded');
  });

  it('opens to its own signature alone', async () => {
    const [first, second] = [await draft(), await draft()];
    for (const token of [
      '',
      'x',
      second.token,
      first.token.slice(1),
      `${first.token}A`,
      first.token.toLowerCase(),
    ]) {
      const page = await api.get(`/checkout/${first.jobId}?t=${token}`);
      expect([page.status, page.text.includes('<form')]).to.deep.equal([403, false]);
      expect((await submit(first.jobId, 'pay', token)).status).to.equal(403);
      expect((await submit(first.jobId, 'cancel', token)).status).to.equal(403);
    }
    expect((await api.get(`/checkout/${first.jobId}`)).status).to.equal(403);
    expect(await first.status()).to.equal('draft');
  });

  it('does nothing by GET, nor for what is not a form', async () => {
    const { jobId, token, status } = await draft();
    expect((await api.get(`/checkout/${jobId}/pay?t=${token}`)).status).to.equal(405);
    const json = await api.post(`/checkout/${jobId}/pay`, { t: token });
    expect(json.status).to.equal(415);
    expect(await status()).to.equal('draft');
  });

  it('leaves its signature out of the log', async () => {
    const { path, token, jobId } = await draft();
    await api.get(path);
    await submit(jobId, 'pay', token);
    expect(JSON.stringify(api.logged())).to.include('/checkout/{jobId}').and.not.include(token);
  });
});
