/** Whoever waits for a view waits on while the store is away, and learns of anything else that goes wrong. */
import { expect } from 'chai';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { viewProgress } from '../../src/projecting/view-progress.ts';
import { rejectionOf } from '../support/rejection.ts';

const PLACE = '0000000000000007';
/** Longer than any look takes: who waits so long is not answered by his time. */
const LONG_MS = 60_000;

describe('Waiting for a view', () => {
  it('goes on while the store is away, until it can be asked again', async () => {
    let failures = 0;
    const live = { view: 'jobs', live: true, checkpoint: PLACE, stuck: null };
    const status = async (): Promise<never> => {
      failures += 1;
      if (failures < 3) throw new ViewsUnavailable('no route');
      return [live] as never;
    };
    const progress = viewProgress({ ...memoryViewStore(), status }, Date.now);
    expect(await progress.reached('jobs', PLACE, LONG_MS)).to.equal(true);
    expect(failures).to.equal(3);
  });

  it('fails at once with a mistake of the program, for all who wait', async () => {
    const status = (): Promise<never> => Promise.reject(new TypeError('row is undefined'));
    const progress = viewProgress({ ...memoryViewStore(), status }, Date.now);
    const waiting = ['jobs', 'agents'].map((view) => rejectionOf(progress.reached(view, PLACE, LONG_MS)));
    for (const failure of await Promise.all(waiting)) expect(failure).to.be.instanceOf(TypeError);
  });

  it('says how long a view is behind and does not move, not how long it is behind', () => {
    let nowMs = 0;
    const progress = viewProgress(memoryViewStore(), () => nowMs);
    const at = (checkpoint: string) => [{ view: 'jobs', live: true, checkpoint, stuck: null }] as never;
    for (const checkpoint of ['1', '2', '3']) {
      progress.observe('9', at(checkpoint));
      nowMs += 8_000;
    }
    expect(progress.movementOf('jobs')).to.deep.equal({ idleMs: 8_000, behindMs: 8_000 });
    progress.observe('9', at('3'));
    nowMs += 8_000;
    expect(progress.movementOf('jobs')).to.deep.equal({ idleMs: 16_000, behindMs: 16_000 });
    progress.observe('9', at('9'));
    expect(progress.movementOf('jobs')).to.deep.equal({ idleMs: 0, behindMs: 0 });
  });
});
