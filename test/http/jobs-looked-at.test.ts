/** Jobs that no index finds are looked at a thousand at a time: each page goes on where the one before stopped. */
import { expect } from 'chai';
import { z } from 'zod';
import { jobDecider } from '../../commands/job/job.ts';
import { idFrom } from '../../events/ids.ts';
import type { TestKey } from '../support/api.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { draft } from '../support/sample-job.ts';

const LOOKED_AT = 1_000;
const ALL = 2_500;
/** Places among all jobs of the account, the newest first, of those that are looked for. */
const PLACES = [1, 2, LOOKED_AT, 2 * LOOKED_AT + 1, ALL];
const FIRST_AT_MS = Date.parse('2026-06-02T08:00:00.000Z');
/** So many were made at one moment. */
const AT_ONCE = 7;

interface Page {
  readonly ids: readonly unknown[];
  readonly nextCursor: string | null;
  readonly total: unknown;
}

describe('Looking at more jobs than one answer may', function () {
  this.timeout(120_000);
  let api: JobApi;
  let key: TestKey;
  let wanted: readonly string[];
  before(async () => {
    api = await startJobApi();
    key = await api.newKey();
    const made = Array.from({ length: ALL }, (_, n) => {
      const at = new Date(FIRST_AT_MS + Math.floor(n / AT_ONCE) * 1_000).toISOString();
      return { at, jobId: idFrom('job', at, `looked at ${n}`) };
    });
    // Of one moment, by their ids.
    const newestFirst = made.sort((a, b) =>
      a.at === b.at ? (a.jobId < b.jobId ? -1 : 1) : a.at < b.at ? 1 : -1,
    );
    wanted = PLACES.map((place) => newestFirst[place - 1]?.jobId ?? '');
    await Promise.all(
      newestFirst.map(({ at, jobId }) => {
        const keyId = wanted.includes(jobId) ? key.keyId : draft.keyId;
        const job = { ...draft, jobId, keyId, accountId: key.accountId };
        const call = { at, actor: 'cli', requestId: 'test', commandId: jobId };
        return api.services.commands.run(jobDecider, jobId, { type: 'CreateTrial', draft: job }, call);
      }),
    );
    await api.services.projector.caughtUp();
  });
  after(() => api.close());

  async function page(query: string, cursor: string | null): Promise<Page> {
    const more = cursor === null ? '' : `&cursor=${cursor}`;
    const { status, text, body } = await api.get(`/v1/jobs?keyId=${key.keyId}&${query}${more}`, key);
    expect(status, text).to.equal(200);
    const { nextCursor, total } = body.meta;
    return { ids: body.data.map(({ id }) => id), nextCursor: z.string().nullable().parse(nextCursor), total };
  }
  async function pages(query: string): Promise<readonly Page[]> {
    const found: Page[] = [];
    let cursor: string | null = null;
    do {
      found.push(await page(query, cursor));
      cursor = found.at(-1)?.nextCursor ?? null;
    } while (cursor !== null && found.length < 20);
    return found;
  }

  it('ends a page after a thousand, with or without rows, and goes on until the last', async () => {
    const found = await pages('limit=20');
    const [first, second, third, fourth, last] = wanted;
    expect(found.map(({ ids }) => ids)).to.deep.equal([[first, second, third], [], [fourth, last]]);
    expect(new Set(found.map(({ total }) => total))).to.deep.equal(new Set([null]));
  });

  it('misses none and doubles none, also where pages end at a limit in between', async () => {
    const range = 'createdFrom=2026-01-01T00:00:00Z&createdBefore=2999-01-01T00:00:00Z';
    for (const query of ['limit=1', 'limit=2', 'limit=3', `limit=1&${range}`]) {
      const found = await pages(query);
      expect(
        found.flatMap(({ ids }) => ids),
        query,
      ).to.deep.equal(wanted);
    }
  });
});
