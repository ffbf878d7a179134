/** Comparing a log again and again: an outage passes in silence, a bug does not. */
import { expect } from 'chai';
import { StoreUnavailable } from '../../events/event-store.ts';
import { verifyRegularly } from '../../src/checking/verify-regularly.ts';
import { until } from '../support/until.ts';

describe('Comparing a log with its followers again and again', () => {
  it('goes on through outages in silence, and tells of a bug once as long as it is the same', async () => {
    const away = new StoreUnavailable('away');
    const bug = new TypeError('a bug');
    const other = new TypeError('another bug');
    const results = [away, bug, away, bug, null, bug, other];
    const told: unknown[] = [];
    let looks = 0;
    const verify = async (): Promise<void> => {
      const result = results[looks++];
      if (result instanceof Error) throw result;
    };
    const regular = verifyRegularly(verify, (error) => told.push(error), 1);
    await until('all was looked at', () => looks > results.length);
    await regular.close();
    expect(told).to.deep.equal([bug, bug, other]);
  });

  it('tells nobody of a look that was under way when it was closed', async () => {
    let fail: (error: Error) => void = () => {};
    const promise = new Promise<void>((_, reject) => {
      fail = reject;
    });
    const told: unknown[] = [];
    let looks = 0;
    const verify = (): Promise<void> => {
      looks += 1;
      return promise;
    };
    const regular = verifyRegularly(verify, (error) => told.push(error), 1);
    await until('it looks', () => looks > 0);
    await regular.close();
    fail(new TypeError('closed'));
    await promise.catch(() => {});
    expect(told).to.deep.equal([]);
  });
});
