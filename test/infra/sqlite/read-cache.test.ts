/** What was read last, beside another process that writes: nothing that is told now stands beside what was before it. */
import { expect } from 'chai';
import { createReadCache } from '../../../infra/sqlite/read-cache.ts';

describe('The read cache of the views', () => {
  /** A file that another process has committed to since this turn began, and that was asked once in it. */
  let committed: number;
  let asked: number;
  const version = {
    now: () => asked,
    doubt: () => void (asked = committed),
  };
  const query = { filter: [], order: 'byName', limit: 1 } as never;
  beforeEach(() => {
    committed = 1;
    asked = 1;
  });

  it('gives no page that is older than a document that was read before it in the same turn', () => {
    const cache = createReadCache(version);
    const rows = () =>
      cache.page(1, query, () => ({ rows: [`as of ${committed}`], next: null }) as never).rows;
    expect(rows()).to.deep.equal(['as of 1']);
    committed = 2;
    expect(cache.document(1, 'position', () => `as of ${committed}`)).to.equal('as of 2');
    expect(rows()).to.deep.equal(['as of 2']);
  });

  it('gives no document that is older than a page that was read before it in the same turn', () => {
    const cache = createReadCache(version);
    const document = () => cache.document(1, 'position', () => `as of ${committed}`);
    expect(document()).to.equal('as of 1');
    committed = 2;
    cache.page(1, query, () => ({ rows: [], next: null }) as never);
    expect(document()).to.equal('as of 2');
  });
});
