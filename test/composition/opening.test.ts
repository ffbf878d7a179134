import { expect } from 'chai';
import { opening } from '../../src/composition/opening.ts';

describe('What is opened together', () => {
  let closed: string[];
  const engine = (name: string) => ({ close: async () => void closed.push(name) });
  beforeEach(() => {
    closed = [];
  });

  it('is closed, the last first, when a later opening fails', async () => {
    const failure = new Error('no such server');
    const opened = opening(async ({ keep }) => {
      keep(engine('log'));
      keep(engine('views'));
      throw failure;
    });
    expect(await opened.catch((error: unknown) => error)).to.equal(failure);
    expect(closed).to.deep.equal(['views', 'log']);
  });

  it('stays open until it is closed, and is closed once', async () => {
    const { close } = await opening(async ({ keep, close: closeAll }) => {
      keep(engine('log'));
      keep(engine('views'));
      return { close: closeAll };
    });
    expect(closed).to.deep.equal([]);
    await close();
    await close();
    expect(closed).to.deep.equal(['views', 'log']);
  });
});
