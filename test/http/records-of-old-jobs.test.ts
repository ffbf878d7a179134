/** Jobs that a release before drafted, with the buyer's text in clear: their records keep the names they had then. */
import { expect } from 'chai';
import { exampleOf } from '../../events/catalog.ts';
import { sha256Hex } from '../../events/hash-chain.ts';
import { idFrom } from '../../events/ids.ts';
import { eventsOf, pagesUntil } from '../support/event-log.ts';
import { AGENT, type JobApi, now, payFor, startJobApi } from '../support/job-flows.ts';
import { withItsId } from '../support/new-event.ts';

const META = { actor: 'test', requestId: 'old', commandId: 'old' };

describe('Records of a job that was drafted with its text in clear', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  async function storeVersion1(streamId: string, type: string, data: object): Promise<string> {
    const event = withItsId(streamId, 0, { type, version: 1, at: now(), data, meta: META });
    expect((await api.services.events.append(streamId, -1, [event])).ok).to.equal(true);
    return event.id;
  }
  async function oldJob(): Promise<string> {
    const { text: _text, hasNotifyUrl: _has, ...drafted } = exampleOf('TrialDrafted');
    const { accountId, keyId } = api.buyer;
    const jobId = idFrom('job', now(), 'old');
    const order = { brief: 'Do it.', inputs: null, metadata: {}, notifyUrl: null };
    const agent = { ...drafted.agent, slug: AGENT };
    const fundingExpiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const data = { ...drafted, ...order, jobId, accountId, keyId, agent, fundingExpiresAt };
    await storeVersion1(`job-${jobId}`, 'TrialDrafted', data);
    await api.services.projector.caughtUp();
    return jobId;
  }
  async function recordsInLog(): Promise<number> {
    const pages = await pagesUntil(api.services.events, { after: null }, (_, page) => page.caughtUp);
    return eventsOf(pages).filter(({ type }) => type === 'RecordAsserted').length;
  }

  it('are known again, whichever release took them in', async () => {
    const jobId = await oldJob();
    expect((await payFor(api, jobId)).ok).to.equal(true);
    const streamId = `record-${jobId}-${sha256Hex('INV-1').slice(0, 32)}`;
    const told = { recordId: 'INV-1', recordType: null, occurredAt: null, url: null, attributes: null };
    const eventId = await storeVersion1(streamId, 'RecordAsserted', { jobId, agent: AGENT, ...told });

    const { recordWebhookUrl } = await api.job(jobId);
    const tell = (recordId: string) => api.post(new URL(recordWebhookUrl ?? '').pathname, { recordId });
    const again = await tell('INV-1');
    expect([again.status, again.body.data]).to.deep.equal([
      200,
      { jobId, recordId: 'INV-1', eventId, duplicate: true },
    ]);
    expect([(await tell('INV-2')).status, (await tell('INV-2')).status]).to.deep.equal([202, 200]);
    expect(await recordsInLog()).to.equal(2);
    await api.services.projector.caughtUp();
    expect((await api.job(jobId)).recordsCreated).to.equal(2);
  });
});
