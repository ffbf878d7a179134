import { expect } from 'chai';
import { MAX_PAGE_BYTES, rowsOfPage } from '../../src/operations/list-page.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';

describe('A page of a list', () => {
  it('has as many rows as fit into its bytes, and at least one', () => {
    expect(rowsOfPage([], 10)).to.equal(0);
    expect(rowsOfPage(['1234', '5678', '9'], 10)).to.equal(3);
    expect(rowsOfPage(['1234', '5678', '901'], 10)).to.equal(2);
    expect(rowsOfPage(['12345678901', '2'], 10)).to.equal(1);
    // Three bytes each.
    expect(rowsOfPage(['€€', '€€'], 10)).to.equal(1);
  });

  describe('of large rows', () => {
    let api: JobApi;
    const wanted: string[] = [];
    before(async () => {
      api = await startJobApi();
      const inputs = { text: 'x'.repeat(60_000) };
      for (let i = 0; i < 30; i += 1) wanted.push(await api.draft(api.buyer, { inputs }));
      await api.services.projector.caughtUp();
    });
    after(() => api.close());

    for (const path of ['/v1/jobs', '/v1/mandate/history'])
      it(`ends before its limit, and its cursor visits every row once: ${path}`, async () => {
        const seen: string[] = [];
        let cursor: string | null = '';
        let pages = 0;
        while (cursor !== null) {
          const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
          const answer = await api.get(`${path}?limit=100${at}`, api.buyer);
          expect(answer.text.length).to.be.below(MAX_PAGE_BYTES + 200_000);
          seen.push(...answer.body.data.map((row) => String(row['id'] ?? row['eventId'])));
          const next = answer.body.meta['nextCursor'];
          cursor = typeof next === 'string' ? next : null;
          pages += 1;
        }
        expect(pages).to.be.within(2, 10);
        expect(new Set(seen).size).to.equal(seen.length);
        if (path === '/v1/jobs')
          expect(seen.toSorted((a, b) => a.localeCompare(b))).to.deep.equal(
            wanted.toSorted((a, b) => a.localeCompare(b)),
          );
        else expect(seen).to.have.lengthOf(31);
      });
  });
});
