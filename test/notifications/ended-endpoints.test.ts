/** A message that was on its way when its endpoint ended goes nowhere, and its record says why. */
import { expect } from 'chai';
import { amendEndpoint } from '../../src/operations/webhooks/amend-endpoint.ts';
import type { TestKey } from '../support/api.ts';
import { now as timestamp } from '../support/job-flows.ts';
import { until } from '../support/until.ts';
import { notifying } from './notifying.ts';

const MINUTE_MS = 60_000;

describe('A message whose endpoint ended while it waited', () => {
  const { world, api, base, listen, to } = notifying();
  const scopes = ['trials:create', 'jobs:read', 'jobs:cancel', 'webhooks:manage'] as const;

  const recordOf = async ({ accountId }: TestKey, endpointId: string) =>
    (await api().services.deliveries.list({ accountId, endpointId, limit: 10 }))[0];

  /** Sends it once, in vain; what is done to its endpoint is done before the second try. */
  async function interrupted(ends: (key: TestKey, id: string, path: string) => Promise<unknown>) {
    const key = await api().newKey({ scopes });
    const { path, id } = await listen(key, ['job.drafted']);
    world.answer = () => 500;
    await api().draft(key);
    await until('the first try is on record', async () => (await recordOf(key, id))?.attempts === 1);
    await ends(key, id, path);
    await api().services.projector.caughtUp();
    world.answer = () => 204;
    world.clockMs += MINUTE_MS;
    await until('it is settled', async () => (await recordOf(key, id))?.state !== 'pending');
    return { path, record: await recordOf(key, id) };
  }

  it('is not sent to one that its owner disabled', async () => {
    const { path, record } = await interrupted((key, id) =>
      api().post(`/v1/webhook-endpoints/${id}/disable`, {}, key),
    );
    expect(record).to.include({
      state: 'failed',
      lastError: 'disabled',
      lastStatus: null,
      nextAttemptAt: null,
    });
    expect(to(path)).to.have.lengthOf(1);
  });

  it('is not sent to one that was removed', async () => {
    const { path, record } = await interrupted((key, id) =>
      api().send('DELETE', `/v1/webhook-endpoints/${id}`, key),
    );
    expect(record).to.include({ state: 'failed', lastError: 'disabled', nextAttemptAt: null });
    expect(to(path)).to.have.lengthOf(1);
  });

  it('is not sent where the account was erased, though the task holds its address', async () => {
    const { path, record } = await interrupted((key) => api().services.privateTexts.erase(key.accountId));
    expect(record).to.include({
      state: 'failed',
      lastError: 'account erased',
      nextAttemptAt: null,
      attempts: 1,
    });
    expect(to(path)).to.have.lengthOf(1);
  });

  it('is sent to none of its addresses where it has moved and the account was erased', async () => {
    const { path, record } = await interrupted(async (key, id, before) => {
      const call = { at: timestamp(), actor: 'cli', requestId: 'test', commandId: `move ${id}` };
      const moved = { url: `${base()}${before}-moved` };
      expect((await amendEndpoint(api().services, key.accountId, id, moved, call)).ok).to.equal(true);
      await api().services.privateTexts.erase(key.accountId);
    });
    expect(record).to.include({ state: 'failed', lastError: 'account erased' });
    expect(to(path)).to.have.lengthOf(1);
    expect(to(`${path}-moved`)).to.deep.equal([]);
  });

  it('is sent to one that was disabled and enabled again', async () => {
    const { path, record } = await interrupted(async (key, id) => {
      await api().post(`/v1/webhook-endpoints/${id}/disable`, {}, key);
      await api().post(`/v1/webhook-endpoints/${id}/enable`, {}, key);
    });
    expect(record).to.include({ state: 'delivered', attempts: 2 });
    expect(to(path)).to.have.lengthOf(2);
  });
});
