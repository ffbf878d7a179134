/** What is asked of the Data API beside its operations: each answer says how the account stands, and counts. */
import { request } from 'node:http';
import { expect } from 'chai';
import type { PlanName } from '../../events/plan.ts';
import { tool } from '../importing/importing.ts';
import type { WantedKey } from '../support/api.ts';
import { type DataApi, startDataApi } from '../support/data-api.ts';

const TRIES = 10;
const READS = 20;

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

describe('The edges of the Data API', () => {
  let api: DataApi;
  before(async () => {
    api = await startDataApi({
      publicRateLimit: READS,
      addressBounds: { failedCredentials: TRIES, posts: 100 },
    });
  });
  after(() => api.close());

  /** Sent as it is: no client mends the address or the header fields. */
  const raw = (method: string, path: string, headers: Record<string, string | string[]> = {}) =>
    new Promise<Raw>((resolve, reject) => {
      const sent = request(`${api.url}/`, { method, path, headers, setHost: headers['Host'] === undefined });
      sent.on('response', (response) => {
        response.resume();
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
      });
      sent.on('error', reject).end();
    });
  const leftOf = ({ headers }: Raw) => [
    Number(headers['x-ratelimit-remaining'] ?? Number.NaN),
    Number(headers['x-quota-remaining'] ?? Number.NaN),
  ];
  const limitsOf = ({ headers }: Raw) => [
    Number(headers['x-ratelimit-limit'] ?? Number.NaN),
    Number(headers['x-quota-limit'] ?? Number.NaN),
  ];

  it('counts another method like an address that is not there', async () => {
    const { key } = await api.customer('starter');
    const Authorization = `Bearer ${key}`;
    const wrong = await raw('POST', '/api/v1/tools', { Authorization });
    expect([wrong.status, ...leftOf(wrong)]).to.deep.equal([405, 59, 9_999]);
    expect(wrong.headers['allow']).to.equal('GET, HEAD, OPTIONS');
    const absent = await raw('DELETE', '/api/v1/nothing', { Authorization });
    expect([absent.status, ...leftOf(absent)]).to.deep.equal([404, 58, 9_998]);
    const malformed = await raw('GET', '/api/v1/models/%ff', { Authorization });
    expect([malformed.status, ...leftOf(malformed)]).to.deep.equal([400, 57, 9_997]);
  });

  it('answers OPTIONS with or without a key, at no cost of quota', async () => {
    const { key } = await api.customer('starter');
    const keyed = await raw('OPTIONS', '/api/v1/models/a/b', { Authorization: `Bearer ${key}` });
    expect([keyed.status, ...leftOf(keyed)]).to.deep.equal([204, 59, 10_000]);
    expect(keyed.headers['allow']).to.equal('GET, HEAD, OPTIONS');
    const keyless = await raw('OPTIONS', '/api/v1/tools');
    expect([keyless.status, ...limitsOf(keyless)]).to.deep.equal([204, READS, 0]);
    expect(leftOf(keyless)).to.deep.equal([READS - 1, 0]);
    const { key: planless } = await api.customer(null);
    expect((await raw('OPTIONS', '/api/v1/tools', { Authorization: `Bearer ${planless}` })).status).to.equal(
      403,
    );
  });

  it('tells whoever has no good key what is left of its tries', async () => {
    const answers = [
      await raw('POST', '/api/v1/tools'),
      await raw('GET', '/api/v1/models/%ff', { Authorization: 'Bearer brs_ak_wrong' }),
      await raw('OPTIONS', '/api/v1/tools', { Authorization: 'Bearer brs_ak_wrong' }),
      await raw('GET', '/api/v1/nothing'),
      await raw('GET', '/api/v1/tools', { Authorization: ['Bearer a', 'Bearer b'] }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401, 400]);
    answers.forEach((answer, i) => {
      expect(limitsOf(answer), `answer ${i}`).to.deep.equal([TRIES, 0]);
      expect(leftOf(answer), `answer ${i}`).to.deep.equal([TRIES - 1 - i, 0]);
      expect(Number(answer.headers['x-ratelimit-reset'])).to.be.greaterThan(Date.now() / 1_000 - 1);
    });
  });

  it('lets no cache between replay what one caller is told of its limits, whatever the answer', async () => {
    await api.importInto('tools', [tool('plain')]);
    const customer = async (plan: PlanName | null, more: WantedKey = {}) => ({
      Authorization: `Bearer ${(await api.customer(plan, more)).key}`,
    });
    const [starter, enterprise] = [await customer('starter'), await customer('enterprise')];
    const known = (await raw('GET', '/api/v1/tools', starter)).headers['etag'];
    const answers: Readonly<Record<string, Raw>> = {
      'a list': await raw('GET', '/api/v1/tools', starter),
      'its head': await raw('HEAD', '/api/v1/tools', starter),
      'nothing new': await raw('GET', '/api/v1/tools', { ...starter, 'If-None-Match': String(known) }),
      'no such row': await raw('GET', '/api/v1/tools/nobody', starter),
      'no such address': await raw('GET', '/api/v1/nothing', starter),
      'a wrong question': await raw('GET', '/api/v1/tools?limit=x', starter),
      'a wrong method': await raw('DELETE', '/api/v1/tools', starter),
      changes: await raw('GET', '/api/v1/changes', starter),
      usage: await raw('GET', '/api/v1/usage', starter),
      CSV: await raw('GET', '/api/v1/tools?format=csv', enterprise),
      'an export': await raw('GET', '/api/v1/export/tools.csv', enterprise),
      'a part of it': await raw('GET', '/api/v1/export/tools.csv', { ...enterprise, Range: 'bytes=0-1' }),
      'no plan': await raw('GET', '/api/v1/tools', await customer(null)),
      'no scope': await raw('GET', '/api/v1/tools', await customer('pro', { scopes: ['jobs:read'] })),
      'no key': await raw('GET', '/api/v1/tools'),
    };
    const asked = Array.from({ length: 60 }, () => raw('GET', '/api/v1/tools', starter));
    const stopped = (await Promise.all(asked)).find(({ status }) => status === 429);
    if (stopped === undefined) throw new Error('the minute is not used up');
    for (const [name, { status, headers }] of Object.entries({ ...answers, 'too many': stopped })) {
      const what = `${name}: ${status}`;
      expect(headers['x-quota-limit'], what).to.be.a('string');
      expect(headers['cache-control'], what).to.match(/^(private, no-cache|no-store)$/);
      expect(headers['vary'], what).to.equal('Authorization');
    }
    const told = new Set(Object.values(answers).map(({ status }) => status));
    expect([...told]).to.have.members([200, 206, 304, 400, 401, 403, 404, 405]);
  });
});
