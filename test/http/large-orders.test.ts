/** Lists of jobs are bounded in bytes, not in rows alone, however much their buyer wrote. */
import { expect } from 'chai';
import { z } from 'zod';
import { MAX_PAGE_BYTES } from '../../src/operations/list-page.ts';
import type { TestKey } from '../support/api.ts';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';

const ALL = 40;
const LARGEST = {
  agent: AGENT,
  brief: '漢'.repeat(8_000),
  inputs: { text: 'x'.repeat(65_000) },
  metadata: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`note ${n}`, '漢'.repeat(500)])),
};
/** What stands beside the rows. */
const ENVELOPE_BYTES = 1_000;

interface Walked {
  readonly ids: readonly unknown[];
  readonly pages: number;
}

describe('Lists of jobs with the largest orders', function () {
  this.timeout(120_000);
  let api: JobApi;
  let key: TestKey;
  const made: string[] = [];
  before(async () => {
    api = await startJobApi();
    key = await api.newKey({
      scopes: ['trials:create', 'jobs:read'],
      terms: { maxMonthlyCents: 1_000_000_000 },
    });
    for (let i = 0; i < ALL; i++) made.push(await api.draft(key, LARGEST));
    await api.services.projector.caughtUp();
  });
  after(() => api.close());

  async function walked(path: string, asking: TestKey): Promise<Walked> {
    const ids: unknown[] = [];
    let [cursor, pages]: [string | null, number] = [null, 0];
    do {
      const { status, text, body } = await api.get(
        `${path}${cursor === null ? '' : `&cursor=${cursor}`}`,
        asking,
      );
      expect(status, text.slice(0, 500)).to.equal(200);
      expect(Buffer.byteLength(text)).to.be.at.most(MAX_PAGE_BYTES + ENVELOPE_BYTES);
      ids.push(...body.data.map(({ id }) => id));
      cursor = z.string().nullable().parse(body.meta.nextCursor);
      pages += 1;
    } while (cursor !== null && pages < 2 * ALL);
    return { ids, pages };
  }

  for (const filter of ['', '&status=draft', '&createdFrom=2026-01-01T00:00:00Z', `&agent=${AGENT}`]) {
    it(`show each job once${filter === '' ? '' : ` with ${filter}`}, in answers of bounded size`, async () => {
      const { ids } = await walked(`/v1/jobs?limit=100${filter}`, key);
      expect(ids).to.deep.equal(made.toReversed());
    });
  }

  it('show the agency each of its jobs once, in answers of bounded size', async () => {
    const { ids } = await walked('/v1/provider/jobs?limit=100', api.agency);
    expect(ids).to.include.members(made).and.have.lengthOf(new Set(ids).size);
  });

  it('look at a bounded part of them for one answer that finds none', async () => {
    const { ids, pages } = await walked('/v1/jobs?metadata=no:such&limit=100', key);
    expect(ids).to.deep.equal([]);
    expect(pages).to.be.greaterThan(1);
  });
});
