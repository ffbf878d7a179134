import { expect } from 'chai';
import { z } from 'zod';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';

describe('Finding jobs', () => {
  let api: JobApi;
  let first: TestKey;
  let second: TestKey;
  before(async () => {
    api = await startJobApi();
    const wanted = { account: 'finder', scopes: ['trials:create', 'jobs:read', 'jobs:cancel'] } as const;
    const terms = { maxMonthlyCents: 1_000_000_000 };
    first = await api.newKey({ ...wanted, terms });
    second = await api.newKey({ ...wanted, terms });
  });
  after(() => api.close());

  const found = async (query: string): Promise<readonly unknown[]> => {
    const answer = await api.get(`/v1/jobs?${query}`, first);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data.map(({ id }) => id);
  };

  it('refuses metadata that would act on a terminal, and says which', async () => {
    for (const metadata of [{ note: 'a\u001b[2J' }, { note: 'a\nb' }, { 'a\u0007': 'b' }]) {
      const trial = { agent: AGENT, brief: 'Do it.', metadata };
      const { status, body } = await api.post('/v1/trials', trial, first);
      const [fault] = body.error.details ?? [];
      expect([status, fault?.path.split('.')[0]]).to.deep.equal([400, 'metadata']);
      expect(fault?.message).to.include('must be one line without control characters');
    }
  });

  it('by key, agent, metadata and time, alone and together, from the moment they are made', async () => {
    const one = await api.draft(first, { metadata: { costCentre: 'FIN:7' } });
    const two = await api.draft(second, { metadata: { costCentre: 'FIN:8' } });
    expect(await found(`keyId=${first.keyId}`)).to.deep.equal([one]);
    expect(await found(`keyId=${second.keyId}`)).to.deep.equal([two]);
    expect(await found('metadata=costCentre:FIN:7')).to.deep.equal([one]);
    expect(await found('metadata=constructor:FIN:7')).to.deep.equal([]);
    expect(await found(`agent=${AGENT}`)).to.deep.equal([two, one]);
    expect(await found('agent=another-agent')).to.deep.equal([]);
    await api.post(`/v1/jobs/${two}/cancel`, {}, first);
    expect(await found(`agent=${AGENT}&status=draft`)).to.deep.equal([one]);
    const { createdAt } = (await api.get(`/v1/jobs/${one}`, first)).body.data;
    const at = String(createdAt);
    expect(await found(`createdBefore=${at}`)).not.to.include(one);
    expect(await found(`createdFrom=${at}&keyId=${first.keyId}`)).to.deep.equal([one]);
    expect(await found(`createdFrom=2999-01-01T00:00:00%2B01:00`)).to.deep.equal([]);
  });

  it('by metadata whose names have colons, as well as values', async () => {
    const one = await api.draft(first, { metadata: { 'erp:order': '17' } });
    const two = await api.draft(first, { metadata: { erp: 'order:17' } });
    expect(await found('metadata=erp:order:17')).to.deep.equal([two, one]);
    expect(await found('metadata=erp:order:1')).to.deep.equal([]);
    const colon = await api.draft(first, { metadata: { ':': ':' } });
    expect(await found('metadata=:::')).to.deep.equal([colon]);
  });

  it('page by page, each once, with cursors that belong to their question', async () => {
    const key = await api.newKey({ account: 'pager', terms: { maxMonthlyCents: 1_000_000_000 } });
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.unshift(await api.draft(key));
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const more = cursor === null ? '' : `&cursor=${cursor}`;
      const { body }: TestAnswer = await api.get(`/v1/jobs?limit=2&keyId=${key.keyId}${more}`, key);
      expect(body.meta['total']).to.equal(null);
      seen.push(...body.data.map(({ id }) => id));
      cursor = z.string().nullable().parse(body.meta['nextCursor']);
      if (cursor !== null) {
        const other = await api.get(`/v1/jobs?limit=2&agent=${AGENT}&cursor=${cursor}`, key);
        expect(other.body.error.code).to.equal('invalid_cursor');
      }
    } while (cursor !== null);
    expect(seen).to.have.members(made).and.to.have.lengthOf(made.length);
    expect((await api.get('/v1/jobs?cursor=WyJ4Il0', key)).body.error.code).to.equal('invalid_cursor');
  });

  it('never those of another account, and refuses filters that it does not know by name', async () => {
    const job = await api.draft();
    expect(await found(`keyId=${api.buyer.keyId}`)).not.to.include(job);
    const years = 'createdFrom=9999-12-31T23:59:60Z';
    for (const wrong of ['key=x', 'metadata=nocolon', 'createdFrom=yesterday', years, 'agent=No%20Slug']) {
      const { status, body } = await api.get(`/v1/jobs?${wrong}`, first);
      expect(status).to.equal(400);
      expect(body.error.details?.map(({ path }) => path)).to.deep.equal([wrong.split('=')[0]]);
    }
  });

  it('gives brief and inputs back to their owner with the single job', async () => {
    const inputs = { month: '2026-10', rows: [1, null, 'x'] };
    const id = await api.draft(first, { brief: 'Match it.', inputs });
    const { body } = await api.get(`/v1/jobs/${id}`, second);
    expect(body.data).to.deep.include({ brief: 'Match it.', inputs, keyId: first.keyId });
    const plain = (await api.get(`/v1/jobs/${await api.draft(first)}`, first)).body.data;
    expect(plain).to.deep.include({ inputs: null });
    expect((await api.get(`/v1/jobs/${id}`, api.buyer)).status).to.equal(404);
  });
});
