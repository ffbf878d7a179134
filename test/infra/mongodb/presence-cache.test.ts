/** What a process has seen of documents: good for one step only. */
import { expect } from 'chai';
import type { Change } from '../../../infra/mongodb/document-changes.ts';
import { createPresenceCache } from '../../../infra/mongodb/presence-cache.ts';

const put = (key: string): Change => ({ key, position: '1', content: { json: '{}', fields: {}, sort: {} } });
const remove = (key: string): Change => ({ key, position: '1', content: null });

describe('MongoDB documents that were seen', () => {
  it('are known at the step at which they were loaded, and after this process has moved it', () => {
    const seen = createPresenceCache();
    seen.loaded(
      1,
      5,
      new Map([
        ['a', 'there'],
        ['b', 'absent'],
        ['c', 'gone'],
      ]),
    );
    expect([...seen.at(1, 5)]).to.deep.equal([
      ['a', 'there'],
      ['b', 'absent'],
      ['c', 'gone'],
    ]);
    seen.applied(1, 6, [remove('a'), put('b'), remove('never seen'), put('d')]);
    expect([...seen.at(1, 6)]).to.have.deep.members([
      ['a', 'gone'],
      ['b', 'there'],
      ['c', 'gone'],
      ['d', 'there'],
    ]);
  });

  it('are not known any more once another process has moved the step', () => {
    const seen = createPresenceCache();
    seen.loaded(1, 5, new Map([['a', 'there']]));
    expect(seen.at(1, 6).size).to.equal(0);
    expect(seen.at(2, 5).size).to.equal(0);
    seen.applied(1, 7, [put('b')]);
    expect([...seen.at(1, 7)]).to.deep.equal([['b', 'there']]);
  });

  it('are not believed when they were looked at before the step', () => {
    const seen = createPresenceCache();
    seen.applied(1, 6, [put('a')]);
    seen.loaded(
      1,
      5,
      new Map([
        ['a', 'absent'],
        ['b', 'absent'],
      ]),
    );
    expect([...seen.at(1, 6)]).to.deep.equal([['a', 'there']]);
  });

  it('are forgotten when there are many, those that were seen first, and with their generation', () => {
    const seen = createPresenceCache();
    const keys = Array.from({ length: 30_000 }, (_, i) => `key ${i}`);
    seen.loaded(1, 5, new Map(keys.map((key) => [key, 'there'])));
    expect(seen.at(1, 5).size).to.be.lessThan(20_000);
    expect(seen.at(1, 5).get('key 29999')).to.equal('there');
    seen.keepOnly(new Map([[2, null]]));
    expect(seen.at(1, 5).size).to.equal(0);
  });
});
