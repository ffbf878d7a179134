import { expect } from 'chai';
import { walkJobs } from '../../src/operations/jobs/walk-jobs.ts';
import { roomOfPage } from '../../projections/page-query.ts';
import type { Page as ViewPage, PageQuery } from '../../projections/view-store.ts';
import type { Services } from '../../src/operations/services.ts';

const PAGES = 20;

describe('A walk through the jobs of an account', () => {
  it('lets others be answered between its pages', async () => {
    let read = 0;
    const page = async () => {
      read += 1;
      const row = JSON.stringify({ id: `job_${read}`, createdAt: '2026-11-30T00:00:00.000Z' });
      return { rows: [row], next: read < PAGES ? ['2026-11-30', `job_${read}`] : null, total: PAGES };
    };
    // It asks for pages and for nothing else, as one does of a file: answered before the event loop turns.
    const services = { views: { page } } as unknown as Pick<Services, 'views'>;
    let [turns, isOver] = [0, false];
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const ids: string[] = [];
    for await (const { job } of walkJobs(services, { accountId: 'acc_a' })) ids.push(job.id);
    isOver = true;
    expect(ids).to.have.lengthOf(PAGES);
    expect(turns).to.be.at.least(PAGES - 1);
  });

  it('reads the largest orders a few at a time', async () => {
    const MOST_BYTES = 1_024 * 1_024;
    const rows = Array.from({ length: 30 }, (_, i) => {
      const text = { ciphertext: 'A'.repeat(160_000) };
      return JSON.stringify({ id: `job_${i}`, createdAt: '2026-11-30T00:00:00.000Z', text });
    });
    const given: number[] = [];
    const page = async (_view: string, { limit, maxBytes, after }: PageQuery): Promise<ViewPage> => {
      const from = after === undefined ? 0 : Number(after[0]);
      const hasRoom = roomOfPage(maxBytes);
      const rest = rows.slice(from, from + limit);
      const full = rest.findIndex((row) => !hasRoom(row));
      const shown = full === -1 ? rest : rest.slice(0, full);
      given.push(Buffer.byteLength(shown.join('')));
      const to = from + shown.length;
      return { rows: shown, next: to < rows.length ? [to] : null, total: rows.length };
    };
    const services = { views: { page } } as unknown as Pick<Services, 'views'>;
    const ids: string[] = [];
    for await (const { job } of walkJobs(services, { accountId: 'acc_a' })) ids.push(job.id);
    expect(ids).to.deep.equal(rows.map((_, i) => `job_${i}`));
    expect(Math.max(...given)).to.be.at.most(MOST_BYTES);
  });
});
