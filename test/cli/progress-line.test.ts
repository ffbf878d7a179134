import { expect } from 'chai';
import { progressLine } from '../../src/cli/progress-line.ts';

describe('the progress line', () => {
  let nowMs: number;
  let written: string[];
  const lineOn = (isTTY: boolean) =>
    progressLine({ isTTY, write: (text) => written.push(text) }, () => nowMs);

  beforeEach(() => {
    nowMs = 10_000;
    written = [];
  });

  it('says once a second how far it is, how much that is, and how fast it goes', () => {
    const line = lineOn(true);
    for (let done = 0; done <= 300; done += 1) {
      line.show({ phase: 'copying', done: 1_000 + done, total: 4_000 });
      nowMs += 10;
    }
    expect(written).to.deep.equal([
      'copying 1100 of 4000 events (27 %), 100/s\u001B[K\r',
      'copying 1200 of 4000 events (30 %), 100/s\u001B[K\r',
      'copying 1300 of 4000 events (32 %), 100/s\u001B[K\r',
    ]);
  });

  it('leaves the end of each phase standing', () => {
    const line = lineOn(true);
    line.show({ phase: 'reading', done: 5, total: null });
    nowMs += 500;
    line.show({ phase: 'reading', done: 6, total: null });
    line.show({ phase: 'copying', done: 6, total: 6 });
    line.end();
    line.end();
    expect(written.filter((text) => text.endsWith('\n'))).to.deep.equal([
      'reading 6, 2/s\u001B[K\n',
      'copying 6 of 6 events (100 %)\u001B[K\n',
    ]);
  });

  it('writes whole lines where there is no terminal', () => {
    const line = lineOn(false);
    line.show({ phase: 'copying', done: 1, total: 2 });
    nowMs += 1_000;
    line.show({ phase: 'copying', done: 2, total: 3 });
    expect(written).to.deep.equal(['copying 2 of 3 events (66 %), 1/s\n']);
  });
});
