/** A secret that was replaced signs for a day more, to the millisecond, whichever came after it. */
import { expect } from 'chai';
import { notifySecretDecider } from '../../commands/webhook/notify-secret.ts';
import { receiverOf } from '../../src/operations/notifications/receiver.ts';
import { addEndpoint, changeEndpoint } from '../../src/operations/webhooks/change-endpoint.ts';
import { webhookSecret } from '../../src/operations/standard-webhooks.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';

const FIRST_AT_MS = Date.parse('2026-11-27T12:00:00.000Z');
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

describe('The secrets that a message is signed with', () => {
  let api: JobApi;
  before(async () => void (api = await startJobApi()));
  after(() => api.close());

  let calls = 0;
  const callAt = (afterMs: number) => ({
    at: new Date(FIRST_AT_MS + afterMs).toISOString(),
    actor: 'cli',
    requestId: 'test',
    commandId: `call-${(calls += 1)}`,
  });
  const secretOf = (subject: string, version: number): string =>
    webhookSecret(api.services.signer, 'webhook-secret', subject, version);
  /** The versions of its secrets that sign then, the newest first. */
  async function signing(subject: string, afterMs: number): Promise<readonly number[]> {
    await api.services.projector.caughtUp();
    const receiver = await receiverOf(api.services, subject, FIRST_AT_MS + afterMs);
    const versions = [1, 2, 3];
    const known = new Map(versions.map((version) => [secretOf(subject, version), version]));
    return (receiver?.secrets ?? []).map((secret) => known.get(secret) ?? 0);
  }

  it('are for a day both, and then the new one alone', async () => {
    const { accountId } = api.buyer;
    const wanted = { url: 'https://buyer.example/two', types: null, description: '' };
    const added = await addEndpoint(api.services, accountId, wanted, callAt(0));
    if (!added.ok) throw new Error(added.refusal.message);
    const id = added.endpoint.endpointId;
    expect(await signing(id, 0)).to.deep.equal([1]);

    await changeEndpoint(api.services, accountId, id, 'RotateWebhookSecret', callAt(HOUR_MS));
    expect(await signing(id, HOUR_MS)).to.deep.equal([2, 1]);
    expect(await signing(id, HOUR_MS + DAY_MS - 1)).to.deep.equal([2, 1]);
    expect(await signing(id, HOUR_MS + DAY_MS)).to.deep.equal([2]);
  });

  it('drop out one by one, each a day after the one that followed it', async () => {
    const { accountId } = api.buyer;
    const wanted = { url: 'https://buyer.example/three', types: null, description: '' };
    const added = await addEndpoint(api.services, accountId, wanted, callAt(0));
    if (!added.ok) throw new Error(added.refusal.message);
    const id = added.endpoint.endpointId;
    await changeEndpoint(api.services, accountId, id, 'RotateWebhookSecret', callAt(0));
    await changeEndpoint(api.services, accountId, id, 'RotateWebhookSecret', callAt(HOUR_MS));
    expect(await signing(id, DAY_MS - 1)).to.deep.equal([3, 2, 1]);
    expect(await signing(id, DAY_MS)).to.deep.equal([3, 2]);
    expect(await signing(id, HOUR_MS + DAY_MS)).to.deep.equal([3]);
  });

  it('of an account’s notifyUrl do so too', async () => {
    const { accountId } = await api.newKey();
    expect(await signing(accountId, 0), 'before anybody asked').to.deep.equal([1]);
    const issue = { type: 'IssueNotifySecret', accountId } as const;
    await api.services.commands.run(notifySecretDecider, accountId, issue, callAt(0));
    expect(await signing(accountId, 0)).to.deep.equal([1]);
    await api.services.commands.run(notifySecretDecider, accountId, issue, callAt(HOUR_MS));
    expect(await signing(accountId, HOUR_MS + DAY_MS - 1)).to.deep.equal([2, 1]);
    expect(await signing(accountId, HOUR_MS + DAY_MS)).to.deep.equal([2]);
  });
});
