/** What every answer of the Data API says of the plan of its account, and what it counts. */
import { expect } from 'chai';
import { z } from 'zod';
import { PLANS } from '../../commands/subscription/plans.ts';
import { createMemoryMeter } from '../contract/memory/meter.ts';
import { routes } from '../../src/http/routes.ts';
import { defineOperation } from '../../src/operations/operation.ts';
import { changePlan, type PlanChange } from '../../src/operations/plans/change-plan.ts';
import { type Meter, MeterUnavailable } from '../../src/ports/meter.ts';
import { route } from '../../src/transport/route.ts';
import { startApi, type TestAnswer, type TestApi, type TestKey, type WantedKey } from '../support/api.ts';

/** Any read of the Data API: it ends as it is told to. */
const readRows = defineOperation({
  name: 'readRows',
  summary: 'Rows of a test.',
  description: 'Ends as it is told to.',
  tag: 'data',
  kind: 'query',
  scope: 'data:read',
  metered: 'quota',
  input: z.strictObject({
    end: z.enum(['well', 'badly']).default('well').meta({ description: 'How it ends.', example: 'well' }),
  }),
  output: z.array(z.string()),
  refusals: [],
  example: { input: { end: 'well' }, output: ['a row'] },
  async run({ end }) {
    if (end === 'badly') throw new Error('this operation fails, for a test');
    return { ok: true, data: ['a row'], revision: 'the-first' };
  },
});
const ROWS = '/api/v1/rows';
const FAILED_CREDENTIALS = 5;

describe('A metered operation', () => {
  let api: TestApi;
  let meter: Meter;
  let isAway = false;
  let keepsAll = false;
  before(async () => {
    const engine = createMemoryMeter();
    meter = {
      ...engine,
      async count(...draw) {
        if (isAway) throw new MeterUnavailable('the engine is away');
        return engine.count(...draw);
      },
      async giveBack(receipt) {
        if (keepsAll) throw new MeterUnavailable('the engine is away');
        return engine.giveBack(receipt);
      },
    };
    api = await startApi({
      routes: [...routes, route('GET', ROWS, readRows)],
      engines: { meter },
      addressBounds: { failedCredentials: FAILED_CREDENTIALS, posts: 100 },
    });
  });
  after(() => api.close());

  let accounts = 0;
  async function keyWith(plan: PlanChange | null, more: WantedKey = {}): Promise<TestKey> {
    const account = `reader-${(accounts += 1)}`;
    const key = await api.newKey({ account, scopes: ['data:read'], ...more });
    const call = { at: new Date().toISOString(), actor: 'cli', requestId: 'test', commandId: account };
    if (plan !== null) await changePlan(api.services, account, plan, call);
    return key;
  }
  const starter = () => keyWith({ type: 'ChoosePlan', plan: 'starter' });
  const period = () => new Date().toISOString().slice(0, 7);
  const use = ({ accountId }: TestKey, counted: number) =>
    meter.seed({ accountId, period: period(), totals: { counted, returned: 0 } });
  const limitsOf = ({ headers }: TestAnswer) =>
    ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Quota-Limit', 'X-Quota-Remaining'].map((name) =>
      Number(headers.get(name) ?? Number.NaN),
    );
  const { perMinute, perMonth } = PLANS.starter;

  it('says in each answer what is left of minute and month, and when each goes on', async () => {
    const key = await starter();
    const answer = await api.get(ROWS, key);
    expect(answer.status).to.equal(200);
    expect(limitsOf(answer)).to.deep.equal([perMinute, perMinute - 1, perMonth, perMonth - 1]);
    const nowSeconds = Math.floor(Date.now() / 1_000);
    expect(Number(answer.headers.get('X-RateLimit-Reset'))).to.be.within(nowSeconds, nowSeconds + 61);
    const monthEnd = new Date(Number(answer.headers.get('X-Quota-Reset')) * 1_000).toISOString();
    expect(monthEnd).to.match(/^\d{4}-\d\d-01T00:00:00.000Z$/);
    const policy = /^"minute";q=60;w=60, "month";q=10000;w=(2419200|2505600|2592000|2678400)$/;
    expect(answer.headers.get('RateLimit-Policy')).to.match(policy);
    const limits = /^"minute";r=59;t=(\d+), "month";r=9999;t=(\d+)$/.exec(
      answer.headers.get('RateLimit') ?? '',
    );
    expect(Number(limits?.[1])).to.be.within(1, 60);
    const quotaEndsIn = Number(answer.headers.get('X-Quota-Reset')) - nowSeconds;
    expect(Number(limits?.[2])).to.be.closeTo(quotaEndsIn, 2);
  });

  it('lets no cache between replay one caller’s limits to another', async () => {
    const answer = await api.get(ROWS, await starter());
    expect(answer.headers.get('Cache-Control')).to.equal('private, no-cache');
    expect(answer.headers.get('Vary')).to.equal('Authorization');
  });

  it('tells whoever has no good key how many tries are left, and of no quota', async () => {
    const missing = await api.get(ROWS);
    expect(missing.status).to.equal(401);
    const [limit, remaining, ...quota] = limitsOf(missing);
    expect([limit, ...quota]).to.deep.equal([FAILED_CREDENTIALS, 0, 0]);
    const wrong = await api.get(ROWS, { key: 'brs_ak_wrong' });
    expect(wrong.status).to.equal(401);
    expect(limitsOf(wrong)).to.deep.equal([limit, remaining! - 1, 0, 0]);
    for (let tries = remaining! - 1; tries > 0; tries -= 1) await api.get(ROWS);
    const tooMany = await api.get(ROWS);
    expect([tooMany.status, ...limitsOf(tooMany)]).to.deep.equal([429, limit, 0, 0, 0]);
    expect((await api.get(ROWS, await starter())).status, 'a good key from there').to.equal(200);
  });

  it('refuses an account without a plan, of which nothing is left', async () => {
    const askedS = Math.floor(Date.now() / 1_000);
    const answer = await api.get(ROWS, await keyWith(null));
    expect([answer.status, answer.body.error.code]).to.deep.equal([403, 'plan_required']);
    expect(limitsOf(answer)).to.deep.equal([0, 0, 0, 0]);
    // Nobody is told to stay away for the rest of the month.
    expect(answer.headers.get('RateLimit-Policy')).to.match(/^"minute";q=0;w=60, "month";q=0;w=2\d{6}$/);
    expect(answer.headers.get('RateLimit')).to.match(/^"minute";r=0;t=60, "month";r=0;t=\d+$/);
    expect(Number(answer.headers.get('X-RateLimit-Reset'))).to.be.within(askedS, askedS + 62);
  });

  it('lets an account without a plan ask no more often than any account may', async () => {
    const bounded = await startApi({
      routes: [...routes, route('GET', ROWS, readRows)],
      accountBounds: { requestsPerMinute: 2, trialsPerDay: 1, bytesPerDay: 1_000 },
    });
    const key = await bounded.newKey({ scopes: ['data:read'] });
    const first = await bounded.get(ROWS, key);
    const second = await bounded.get(ROWS, key);
    const tooMany = await bounded.get(ROWS, key);
    await bounded.close();
    expect([first.status, second.status]).to.deep.equal([403, 403]);
    expect([tooMany.status, tooMany.body.error.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(tooMany.headers.get('Retry-After'))).to.be.within(1, 60);
    expect(limitsOf(tooMany)).to.deep.equal([0, 0, 0, 0]);
  });

  it('counts what a key may not do, what is asked wrongly, and what is not there', async () => {
    const key = await keyWith({ type: 'ChoosePlan', plan: 'starter' }, { scopes: ['jobs:read'] });
    const forbidden = await api.get(ROWS, key);
    expect([forbidden.status, forbidden.body.error.code]).to.deep.equal([403, 'scope_missing']);
    expect(limitsOf(forbidden)).to.deep.equal([60, 59, 10_000, 9_999]);

    const reader = await starter();
    const wrong = await api.get(`${ROWS}?end=nowhere`, reader);
    expect([wrong.status, ...limitsOf(wrong)]).to.deep.equal([400, 60, 59, 10_000, 9_999]);
    const response = await fetch(`${api.url}/api/v1/nothing-here`, {
      headers: { Authorization: `Bearer ${reader.key}` },
    });
    expect(response.status).to.equal(404);
    expect(response.headers.get('X-Quota-Remaining')).to.equal('9998');
  });

  it('gives back the quota of what failed on our side, once, and not its place in the minute', async () => {
    const key = await starter();
    const failed = await api.get(`${ROWS}?end=badly`, key);
    expect([failed.status, ...limitsOf(failed)]).to.deep.equal([500, 60, 59, 10_000, 10_000]);
    expect(limitsOf(await api.get(ROWS, key))).to.deep.equal([60, 58, 10_000, 9_999]);
  });

  it('tells what came of a request also where its quota cannot be given back', async () => {
    const key = await starter();
    keepsAll = true;
    const failed = await api.get(`${ROWS}?end=badly`, key);
    keepsAll = false;
    expect([failed.status, failed.body.error.code, ...limitsOf(failed)]).to.deep.equal([
      500,
      'internal',
      60,
      59,
      10_000,
      9_999,
    ]);
    const lines = api.logged().filter(({ requestId }) => requestId === failed.body.error.requestId);
    expect(lines.map(({ msg }) => msg)).to.include.members(['quota was not given back', 'operation failed']);
  });

  it('gives back the quota of what its caller has already', async () => {
    const key = await starter();
    const first = await api.get(ROWS, key);
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    const same = await api.get(ROWS, { ...key, headers });
    expect([same.status, ...limitsOf(same)]).to.deep.equal([304, 60, 58, 10_000, 9_999]);
    const other = await api.get(ROWS, { ...key, headers: { 'If-None-Match': '"another"' } });
    expect([other.status, ...limitsOf(other)]).to.deep.equal([200, 60, 57, 10_000, 9_998]);
  });

  it('stops at the rate and says so, and counts nothing of what it stops', async () => {
    const key = await starter();
    const answers = await Promise.all(Array.from({ length: 70 }, () => api.get(ROWS, key)));
    const stopped = answers.filter(({ status }) => status === 429);
    expect(stopped).to.have.lengthOf(10);
    for (const answer of stopped) {
      expect(answer.body.error.code).to.equal('rate_limited');
      expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 60);
      expect(limitsOf(answer)).to.deep.equal([60, 0, 10_000, 9_940]);
    }
  });

  it('stops at the quota and says so, until the month is over', async () => {
    const key = await starter();
    await use(key, perMonth);
    const answer = await api.get(ROWS, key);
    expect([answer.status, answer.body.error.code]).to.deep.equal([429, 'quota_exceeded']);
    expect(limitsOf(answer)).to.deep.equal([60, 60, 10_000, 0]);
    const opensAt = Math.floor(Date.now() / 1_000) + Number(answer.headers.get('Retry-After'));
    expect(opensAt).to.be.closeTo(Number(answer.headers.get('X-Quota-Reset')), 2);
  });

  it('leaves nothing, and no less, of a smaller plan than what was used', async () => {
    const key = await keyWith({ type: 'ChoosePlan', plan: 'pro' });
    await use(key, 20_000);
    const call = { at: new Date().toISOString(), actor: 'cli', requestId: 'test', commandId: 'smaller' };
    await changePlan(api.services, key.accountId, { type: 'ChangePlan', plan: 'starter' }, call);
    expect(limitsOf(await api.get(ROWS, key))).to.deep.equal([60, 60, 10_000, 0]);
    const { month } = (await api.get('/api/v1/usage', key)).body.data;
    expect(month).to.include({ limit: 10_000, used: 20_000, remaining: 0 });
  });

  it('answers nothing while nobody can count', async () => {
    const key = await starter();
    isAway = true;
    const answer = await api.get(ROWS, key);
    isAway = false;
    expect([answer.status, ...limitsOf(answer)]).to.deep.equal([503, 0, 0, 0, 0]);
    expect(answer.headers.get('Retry-After')).to.equal('1');
    expect(limitsOf(await api.get(ROWS, key))).to.deep.equal([60, 59, 10_000, 9_999]);
  });

  describe('GET /api/v1/usage', () => {
    it('tells the numbers that requests are admitted by, and costs no quota', async () => {
      const key = await starter();
      await use(key, perMonth - 1);
      await api.get(ROWS, key);
      await api.get(ROWS, key);
      const answer = await api.get('/api/v1/usage', key);
      expect(answer.status).to.equal(200);
      expect(answer.body.data).to.deep.include({
        plan: 'starter',
        period: period(),
        refused: { rateLimited: 0, quotaExceeded: 1 },
      });
      expect(answer.body.data['month']).to.include({ limit: 10_000, used: 10_000, remaining: 0 });
      expect(answer.body.data['minute']).to.include({ limit: 60, used: 2, remaining: 58 });
      expect(limitsOf(answer)).to.deep.equal([60, 58, 10_000, 0]);
    });
  });

  describe('GET /api/v1/usage/history', () => {
    const pro = () => keyWith({ type: 'ChoosePlan', plan: 'pro' });
    it('tells each day and hour, those without requests too, by operation and by key', async () => {
      const key = await pro();
      await api.get(ROWS, key);
      await api.get(ROWS, key);
      const bucketsOf = async (query: string) =>
        (await api.get(`/api/v1/usage/history?${query}`, key)).body.data;
      const days = await bucketsOf('');
      expect(days).to.have.lengthOf(31);
      expect(days[0]).to.deep.include({ requests: 0, groups: [] });
      expect(days.at(-1)).to.deep.include({ requests: 2, groups: [{ name: 'readRows', requests: 2 }] });
      const from = new Date(Date.now() - 3 * 3_600_000).toISOString();
      const hours = await bucketsOf(`bucket=hour&groupBy=key&from=${from}`);
      expect(hours).to.have.lengthOf(4);
      expect(hours.at(-1)).to.deep.include({ groups: [{ name: key.keyId, requests: 2 }] });
      const months = await bucketsOf(`bucket=month&from=${period()}-01T00:00:00Z`);
      expect(months).to.deep.equal([
        { start: `${period()}-01T00:00:00.000Z`, requests: 2, groups: [{ name: 'readRows', requests: 2 }] },
      ]);
    });

    it('names what is wrong with its times', async () => {
      const key = await pro();
      for (const [query, message] of [
        ['from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'must be before to'],
        ['from=2001-01-01T00:00:00Z', 'must be within 400 days: older days are not kept'],
        ['bucket=hour&from=2001-01-01T00:00:00Z', 'must be within 35 days: older hours are not kept'],
      ] as const) {
        const answer = await api.get(`/api/v1/usage/history?${query}`, key);
        expect(answer.status).to.equal(400);
        expect(answer.body.error.details?.map((detail) => [detail.path, detail.message])).to.deep.include([
          'from',
          message,
        ]);
      }
    });

    it('comes with the larger plans', async () => {
      const answer = await api.get('/api/v1/usage/history', await starter());
      expect([answer.status, answer.body.error.code]).to.deep.equal([403, 'plan_required']);
    });
  });
});
