/** Whoever waits for a view waits on while the store is away, and learns of anything else that goes wrong. */
import { expect } from 'chai';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { viewProgress } from '../../src/projecting/view-progress.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';

const PLACE = '0000000000000007';
/** Longer than any look takes: who waits so long is not answered by his time. */
const LONG_MS = 60_000;

const STUCK = { position: '0000000000000003', eventId: 'evt_3', error: 'no such amount', at: 'now' };
const whole = { view: 'jobs', live: true, checkpoint: PLACE, stuck: null };
const behind = { ...whole, checkpoint: '0000000000000002' };

/** A store of which other processes project: each question is answered with what stands at its turn, the last for ever. */
function askedStore(...answers: readonly (readonly object[])[]) {
  const asked = { times: 0 };
  const status = async (): Promise<never> => {
    asked.times += 1;
    return (answers[asked.times - 1] ?? answers.at(-1)) as never;
  };
  return { asked, views: { ...memoryViewStore(), status } };
}

describe('Waiting for a view', () => {
  it('goes on while the store is away, until it can be asked again', async () => {
    let failures = 0;
    const status = async (): Promise<never> => {
      failures += 1;
      if (failures < 3) throw new ViewsUnavailable('no route');
      return [whole] as never;
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

  it('asks the store no more once nobody waits, and again for the next who does', async () => {
    const { asked, views } = askedStore(
      [behind],
      [whole],
      [{ ...whole, checkpoint: null }],
      [behind],
      [whole],
    );
    const progress = viewProgress(views, Date.now);
    expect(await progress.reached('jobs', PLACE, LONG_MS)).to.equal(true);
    const { times } = asked;
    // Another reader's questions, which come as often, tell how much time has passed.
    const other = askedStore([behind]);
    const waiting = viewProgress(other.views, Date.now);
    const given = waiting.reached('jobs', PLACE, LONG_MS);
    await until('the other has asked some times', () => other.asked.times > 4);
    waiting.close();
    expect([await given, asked.times]).to.deep.equal([false, times]);
    expect(await progress.reached('jobs', `${PLACE}1`, 0)).to.equal(false);
    expect(await progress.reached('jobs', PLACE, LONG_MS)).to.equal(true);
  });

  it('is in vain where the view that is read stands still, not where only one that is built beside it does', async () => {
    const building = { view: 'jobs', live: false, checkpoint: null, stuck: STUCK };
    const stuck = { ...behind, stuck: STUCK };
    const others = { view: 'agents', live: true, checkpoint: PLACE, stuck: STUCK };
    const isReached = (...answers: readonly (readonly object[])[]): Promise<boolean> =>
      viewProgress(askedStore(...answers).views, Date.now).reached('jobs', PLACE, LONG_MS);
    expect(await isReached([building, behind, others], [building, whole])).to.equal(true);
    expect(await isReached([stuck, { ...building, stuck: null }])).to.equal(false);
    // The first generation, and nothing is read before it.
    expect(await isReached([building])).to.equal(false);
    expect(await isReached([{ ...building, stuck: null }], [whole])).to.equal(true);
  });
});
