import { expect } from 'chai';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';
import type { TestKey } from '../support/api.ts';

describe('GET /v1/spending', () => {
  let api: JobApi;
  let first: TestKey;
  let second: TestKey;
  let price: number;
  before(async () => {
    api = await startJobApi();
    const wanted = { account: 'summing', scopes: ['trials:create', 'jobs:read', 'jobs:cancel'] } as const;
    const terms = { maxMonthlyCents: 1_000_000_000 };
    first = await api.newKey({ ...wanted, terms });
    second = await api.newKey({ ...wanted, terms });
    await api.jobIn('draft', first);
    await api.jobIn('cancelled', first);
    await api.jobIn('funded', second);
    await api.jobIn('refunded', second);
    const { data } = (await api.get('/v1/jobs?limit=1', first)).body;
    price = Number(data[0]?.['amountCents']);
  });
  after(() => api.close());

  const sum = (jobs: number, released: number, refunded: number) => ({
    jobs,
    spentCents: jobs * price,
    releasedCents: released * price,
    refundedCents: refunded * price,
    countedCents: (jobs - released) * price,
  });
  const of = async (query: string) => (await api.get(`/v1/spending?${query}`, first)).body;

  it('sums by agent, key, day and status, in whole cents, with a total', async () => {
    const { data, meta } = await of('');
    expect(data).to.deep.equal([{ group: AGENT, ...sum(4, 1, 1) }]);
    expect(meta).to.deep.equal({ period: new Date().toISOString().slice(0, 7), total: sum(4, 1, 1) });
    const keys = [
      { group: first.keyId, ...sum(2, 1, 0) },
      { group: second.keyId, ...sum(2, 0, 1) },
    ].sort((a, b) => (a.group < b.group ? -1 : 1));
    expect((await of('groupBy=key')).data).to.deep.equal(keys);
    const day = (await of('groupBy=day')).data;
    expect(day.reduce((jobs, one) => jobs + Number(one['jobs']), 0)).to.equal(4);
    expect((await of('groupBy=status')).data).to.deep.equal([
      { group: 'cancelled', ...sum(1, 1, 0) },
      { group: 'draft', ...sum(1, 0, 0) },
      { group: 'funded', ...sum(1, 0, 0) },
      { group: 'refunded', ...sum(1, 0, 1) },
    ]);
  });

  it('is of one month or one day, and of nothing else', async () => {
    expect((await of('period=2025-02')).data).to.deep.equal([]);
    expect((await of('period=2024-02-29')).meta['total']).to.deep.equal(sum(0, 0, 0));
    const days = (await of('groupBy=day')).data.map(({ group, jobs }) => [group, jobs]);
    expect(days).to.not.have.lengthOf(0);
    for (const [day, jobs] of days) {
      const { data, meta } = await of(`period=${String(day)}`);
      expect(meta).to.include({ period: day });
      expect(data.reduce((all, one) => all + Number(one['jobs']), 0)).to.equal(jobs);
    }
    for (const wrong of ['2026', '2026-13', '2026-02-30', 'november']) {
      const { status, body } = await api.get(`/v1/spending?period=${wrong}`, first);
      expect(status).to.equal(400);
      expect(body.error.details?.map(({ path }) => path)).to.deep.equal(['period']);
    }
  });

  it('is the account’s own', async () => {
    const stranger = await api.newKey({ scopes: ['jobs:read'] });
    expect((await api.get('/v1/spending', stranger)).body.data).to.deep.equal([]);
  });
});
