import { expect } from 'chai';
import { walkJobs } from '../../src/operations/jobs/walk-jobs.ts';
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
    for await (const { id } of walkJobs(services, { accountId: 'acc_a' })) ids.push(id);
    isOver = true;
    expect(ids).to.have.lengthOf(PAGES);
    expect(turns).to.be.at.least(PAGES - 1);
  });
});
