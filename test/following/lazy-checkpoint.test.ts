import { mock } from 'node:test';
import { expect } from 'chai';
import { type LazyCheckpoint, lazyCheckpoint } from '../../src/following/lazy-checkpoint.ts';
import { rejectionOf } from '../support/rejection.ts';

describe('A checkpoint that is kept now and then', () => {
  let kept: string[];
  let errors: unknown[];
  let failing: Error | null;
  let checkpoint: LazyCheckpoint;
  beforeEach(() => {
    kept = [];
    errors = [];
    failing = null;
    mock.timers.enable({ apis: ['setTimeout'] });
    const set = async (position: string): Promise<void> => {
      if (failing !== null) throw failing;
      kept.push(position);
    };
    checkpoint = lazyCheckpoint(set, (error) => errors.push(error));
  });
  afterEach(() => mock.timers.reset());

  /** Lets so much time pass, and what is due then be done. */
  async function passes(ms: number): Promise<void> {
    mock.timers.tick(ms);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }

  it('is kept two seconds after something was done, once for all that was done meanwhile', async () => {
    await checkpoint.moved('1', 3);
    await passes(1_500);
    await checkpoint.moved('2', 3);
    expect(kept).to.deep.equal([]);
    await passes(500);
    expect(kept).to.deep.equal(['2']);
    await passes(60_000);
    expect(kept).to.deep.equal(['2']);
  });

  it('is kept at once when much was done', async () => {
    await checkpoint.moved('1', 999);
    expect(kept).to.deep.equal([]);
    await checkpoint.moved('2', 1);
    expect(kept).to.deep.equal(['2']);
    await checkpoint.moved('3', 999);
    expect(kept).to.deep.equal(['2']);
  });

  it('is kept much later where nothing was done, and sooner when something is', async () => {
    await checkpoint.moved('1', 0);
    await passes(20_000);
    await checkpoint.moved('2', 0);
    await passes(10_000);
    expect(kept).to.deep.equal(['2']);
    await checkpoint.moved('3', 0);
    await checkpoint.moved('4', 1);
    await passes(2_000);
    expect(kept).to.deep.equal(['2', '4']);
  });

  it('is kept when it is asked for, and is then not kept again', async () => {
    await checkpoint.moved('1', 1);
    await checkpoint.keep();
    expect(kept).to.deep.equal(['1']);
    await checkpoint.keep();
    await passes(60_000);
    expect(kept).to.deep.equal(['1']);
  });

  it('tells when it could not be kept, and tries again', async () => {
    failing = new Error('the log is away');
    await checkpoint.moved('1', 1);
    await passes(2_000);
    expect(errors).to.deep.equal([failing]);
    expect(await rejectionOf(checkpoint.keep())).to.equal(failing);
    await checkpoint.moved('2', 1);
    failing = null;
    await passes(2_000);
    expect(kept).to.deep.equal(['2']);
  });

  it('is not kept later on once it is closed', async () => {
    await checkpoint.moved('1', 1);
    checkpoint.close();
    await checkpoint.moved('2', 1);
    await passes(60_000);
    expect(kept).to.deep.equal([]);
  });
});
