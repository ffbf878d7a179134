/** GET /api/v1/usage/history is bounded, however many keys an account has. */
import { expect } from 'chai';
import { createMemoryMeter } from '../contract/memory/meter.ts';
import { MAX_GROUPS } from '../../src/operations/plans/get-usage-history.ts';
import { startDataApi } from '../support/data-api.ts';

describe('GET /api/v1/usage/history', () => {
  it('tells no more groups than one answer holds, and how to ask for fewer', async () => {
    let keys = 0;
    const meter = createMemoryMeter();
    const history: typeof meter.history = async ({ fromMs, limit }) =>
      Array.from({ length: Math.min(keys, limit) }, (_, n) => ({
        startMs: fromMs,
        group: `key_01kb3j5m8xe3vb0v6yq4${n}`,
        requests: 1,
      }));
    const api = await startDataApi({ engines: { meter: { ...meter, history } } });
    keys = MAX_GROUPS;
    const whole = await api.read('/api/v1/usage/history?groupBy=key');
    expect([whole.status, Buffer.byteLength(whole.text) < 1_024 * 1_024]).to.deep.equal([200, true]);
    keys = MAX_GROUPS + 1;
    const { status, body } = await api.read('/api/v1/usage/history?groupBy=key');
    expect([status, body.error.code]).to.deep.equal([400, 'invalid_request']);
    expect(body.error.details?.[0]).to.include({ path: 'from', limit: '10000' });
    expect(body.error.message).to.include('more than 10000 groups');
    await api.close();
  });

  it('is read twice at a time for one account, and others wait for none of it', async () => {
    let goOn = (): void => {};
    let held: Promise<void> | undefined = new Promise((resolve) => (goOn = resolve));
    const meter = createMemoryMeter();
    const history: typeof meter.history = async (question) => {
      await held;
      return meter.history(question);
    };
    const api = await startDataApi({ engines: { meter: { ...meter, history } } });
    const asked = Array.from({ length: 3 }, () => api.read('/api/v1/usage/history'));
    const first = await Promise.race(asked);
    expect([first.status, first.body.error.code]).to.deep.equal([429, 'rate_limited']);
    expect((await api.read('/api/v1/usage')).status).to.equal(200);
    held = undefined;
    const other = await api.customer('enterprise');
    expect((await api.get('/api/v1/usage/history', other)).status, 'of another account').to.equal(200);
    goOn();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(2);
    expect((await api.read('/api/v1/usage/history')).status, 'once they are over').to.equal(200);
    await api.close();
  });
});
