import { expect } from 'chai';
import { listOwn } from '../../src/operations/list-page.ts';
import type { Services } from '../../src/operations/services.ts';

const ROWS = 20;
/** As long as to decrypt some large orders takes. */
const BUSY_MS = 5;

describe('A page of what belongs to the caller', () => {
  it('lets others be answered while its rows are made', async () => {
    const rows = Array.from({ length: ROWS }, (_, id) => JSON.stringify({ id }));
    const services = {
      events: { head: async () => null },
      views: { page: async () => ({ rows, next: null, total: ROWS }) },
    } as unknown as Pick<Services, 'events' | 'projector' | 'views'>;
    let [turns, isOver] = [0, false];
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    const question = { view: 'jobs', filter: {}, order: '-createdAt', limit: ROWS };
    setImmediate(turn);
    const listed = await listOwn<{ id: number }, number>(services, question, async ({ id }) => {
      const untilMs = performance.now() + BUSY_MS;
      while (performance.now() < untilMs);
      return id;
    }).finally(() => (isOver = true));
    expect(listed.ok && listed.data).to.deep.equal(Array.from({ length: ROWS }, (_, id) => id));
    expect(turns).to.be.at.least(ROWS - 1);
  });
});
