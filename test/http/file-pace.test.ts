import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import { createFilePace } from '../../src/http/file-pace.ts';

const FILES = 10;
const PIECES = 3;

describe('Files that are sent at once', () => {
  it('go on by a few pieces in each round of the event loop, and each comes to its end', async () => {
    const pace = createFilePace(4);
    const went: number[] = [];
    let now = 0;
    const fetches = Array.from({ length: FILES }, async (_, i) => {
      let count = 0;
      for await (const piece of pace.paced(pieces(), `client ${i}`)) {
        went[now] = (went[now] ?? 0) + 1;
        count += piece.length;
      }
      return count;
    });
    let isOver = false;
    const all = Promise.all(fetches).finally(() => (isOver = true));
    while (!isOver) {
      await nextRound();
      now += 1;
    }
    expect(await all).to.deep.equal(Array.from({ length: FILES }, () => PIECES));
    expect(went.reduce((sum, count) => sum + count, 0)).to.equal(FILES * PIECES);
    expect(Math.max(...went)).to.be.at.most(4);
  });

  it('give who fetches one as many turns as who fetches a hundred', async () => {
    const pace = createFilePace(4);
    let ofMany = 0;
    const many = Array.from({ length: 100 }, async () => {
      for await (const piece of pace.paced(pieces(), 'many')) ofMany += piece.length;
    });
    await nextRound();
    for await (const _ of pace.paced(pieces(), 'one')) {
      // It is counted what went to the others meanwhile.
    }
    expect(ofMany).to.be.at.most(4 * (PIECES + 2));
    await Promise.all(many);
    expect(ofMany).to.equal(100 * PIECES);
  });

  it('do not wait for one another where they are few', async () => {
    const pace = createFilePace(4);
    const first = pace.paced(pieces(), 'client');
    let isFirst = true;
    setImmediate(() => (isFirst = false));
    await first.next();
    expect(isFirst).to.equal(true);
  });
});

async function* pieces(): AsyncGenerator<Uint8Array, void> {
  for (let i = 0; i < PIECES; i += 1) yield new Uint8Array(1);
}
