/** What the log says counts, also while the views do not say it yet: nobody is forgotten, and nothing is dropped. */
import { expect } from 'chai';
import { decodeEvent, type DomainEvent } from '../../events/catalog.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { projections } from '../../projections/catalog.ts';
import { receiverOf } from '../../src/operations/notifications/receiver.ts';
import { amendEndpoint } from '../../src/operations/webhooks/amend-endpoint.ts';
import { addEndpoint, changeEndpoint } from '../../src/operations/webhooks/change-endpoint.ts';
import { whenJobChangedNotify } from '../../src/reactions/when-job-changed-notify.ts';
import { readAll } from '../support/event-log.ts';
import { type JobApi, now, startJobApi } from '../support/job-flows.ts';
import { rejectionOf } from '../support/rejection.ts';
import { openLive } from '../support/open-live.ts';

describe('Notifications while a view is behind', function () {
  let api: JobApi;
  before(async () => void (api = await startJobApi()));
  after(() => api.close());

  const call = (commandId: string) => ({ at: now(), actor: 'cli', requestId: 'test', commandId });
  async function listen(name: string): Promise<{ readonly id: string; readonly secret: string }> {
    const wanted = { url: `https://buyer.example/${name}`, types: null, description: '' };
    const added = await addEndpoint(api.services, api.buyer.accountId, wanted, call(name));
    if (!added.ok) throw new Error(added.refusal.message);
    return { id: added.endpoint.endpointId, secret: added.secret };
  }
  async function lastEvent(jobId: string): Promise<DomainEvent> {
    const [last] = (await readAll(api.services.events, `job-${jobId}`)).toReversed();
    if (last === undefined) throw new Error(`${jobId} has no event`);
    return decodeEvent(last);
  }

  it('wait for it, so that whoever was added right before the event is told of it', async () => {
    const { services, buyer } = api;
    const jobId = await api.draft();
    await services.projector.stop();
    const { id } = await listen('right-before');
    await api.post(`/v1/jobs/${jobId}/cancel`, {}, buyer);
    const cancelled = await lastEvent(jobId);
    const reaction = whenJobChangedNotify(services);
    expect(String(await rejectionOf(reaction.react(cancelled)))).to.contain('is behind the log');

    await services.projector.start();
    await reaction.react(cancelled);
    const told = await services.deliveries.list({
      accountId: buyer.accountId,
      endpointId: id,
      limit: 10,
    });
    expect(told.map(({ type }) => type)).to.deep.equal(['job.cancelled']);
  });

  it('are one for each endpoint, also where it moves before the event is taken a second time', async () => {
    const { services, buyer } = api;
    const { id } = await listen('moving');
    const jobId = await api.draft();
    const drafted = await lastEvent(jobId);
    await services.projector.caughtUp();
    const reaction = whenJobChangedNotify(services);
    await reaction.react(drafted);
    const moved = { url: 'https://buyer.example/moved' };
    await amendEndpoint(services, buyer.accountId, id, moved, call('move'));
    await services.projector.caughtUp();
    await reaction.react(drafted);
    const of = { accountId: buyer.accountId, endpointId: id, limit: 10 };
    expect((await services.deliveries.list(of)).map(({ type }) => type)).to.deep.equal(['job.drafted']);
  });

  it('are signed for an endpoint that it does not know yet, and dropped for one that is gone', async () => {
    const { services, buyer } = api;
    const [there, gone] = [await listen('there'), await listen('gone')];
    await changeEndpoint(services, buyer.accountId, gone.id, 'RemoveWebhookEndpoint', call('remove'));
    const views = memoryViewStore();
    await openLive(views, projections);
    const madeAnew = { ...services, views };
    expect(await receiverOf(madeAnew, there.id, Date.now())).to.deep.equal({
      secrets: [there.secret],
      url: null,
    });
    expect(await receiverOf(madeAnew, gone.id, Date.now())).to.equal(null);
  });

  it('are signed with the account’s own secret of now, although it shows none', async () => {
    const { services, buyer } = api;
    await api.post('/v1/notify-secret', {}, buyer);
    const { body } = await api.post('/v1/notify-secret', {}, buyer);
    const views = memoryViewStore();
    await openLive(views, projections);
    const [present] = (await receiverOf({ ...services, views }, buyer.accountId, Date.now()))?.secrets ?? [];
    expect(present).to.equal(body.data['secret']);
  });
});
