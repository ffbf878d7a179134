/** What a message holds, and by what it is known: a receiver drops what it has seen by its id. */
import { expect } from 'chai';
import { decodeEvent, type DomainEvent } from '../../events/catalog.ts';
import { createMemoryDeliveryLog } from '../contract/memory/delivery-log.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { jobMessage } from '../../src/operations/notifications/message.ts';
import { DELIVER, postLater, postTest } from '../../src/operations/notifications/post-later.ts';
import { jobAt } from '../../src/operations/jobs/read-job.ts';
import { readAll } from '../support/event-log.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { newEvent } from '../support/new-event.ts';

const ACCOUNT = 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy';
const ENDPOINT = 'whe_01kb3j5m8xe3vb0v6yq4s5t7wq';
const URL_OF_IT = 'https://buyer.example/hooks';
const AT = '2026-11-27T12:00:00.000Z';

describe('The id of a message', () => {
  const anew = () => ({ queue: createMemoryQueue(), deliveries: createMemoryDeliveryLog() });
  const idsIn = async ({ queue }: ReturnType<typeof anew>): Promise<readonly string[]> =>
    (await queue.claim(DELIVER, 100, 1_000)).map(({ id }) => id);
  const message = {
    accountId: ACCOUNT,
    endpointId: ENDPOINT,
    url: URL_OF_IT,
    type: 'job.drafted',
    jobId: null,
    body: '{}',
  } as const;
  const recorded = (id: string) => ({ ...newEvent({ id }), streamId: 'job-1', revision: 0, position: '1' });

  it('follows from the event, so that the same event twice is one message, also for another process', async () => {
    const one = anew();
    await postLater(one, recorded('evt_1'), [message]);
    await postLater(one, recorded('evt_1'), [message]);
    const ids = await idsIn(one);
    expect(ids).to.have.lengthOf(1);
    const listed = await one.deliveries.list({ accountId: ACCOUNT, endpointId: ENDPOINT, limit: 10 });
    expect(listed.map(({ id, eventId, createdAt }) => [id, eventId, createdAt])).to.deep.equal([
      [ids[0], 'evt_1', AT],
    ]);
    const other = anew();
    await postLater(other, recorded('evt_1'), [message]);
    expect(await idsIn(other)).to.deep.equal(ids);
  });

  it('is another for another event, another endpoint and another part', async () => {
    const world = anew();
    const elsewhere = { ...message, endpointId: ACCOUNT };
    const part = { ...message, part: ' 100' };
    await postLater(world, recorded('evt_1'), [message, elsewhere, part]);
    await postLater(world, recorded('evt_2'), [message]);
    const ids = await idsIn(world);
    expect(new Set(ids)).to.have.property('size', 4);
    expect(ids).to.have.lengthOf(4);
    const [first] = await world.deliveries.list({ accountId: ACCOUNT, endpointId: ACCOUNT, limit: 10 });
    expect(first, 'the part is no field of its record').not.to.have.property('part');
  });

  it('of a test follows from its command and its endpoint, whenever it comes', async () => {
    const test = { accountId: ACCOUNT, endpointId: ENDPOINT, url: URL_OF_IT, commandId: 'one', at: AT };
    const [world, later] = [anew(), '2026-11-27T13:00:00.000Z'];
    const id = await postTest(world, test);
    expect(await postTest(world, { ...test, at: later })).to.equal(id);
    expect(await postTest(anew(), { ...test, at: later })).to.equal(id);
    const command = await postTest(world, { ...test, commandId: 'two' });
    const endpoint = await postTest(world, { ...test, endpointId: 'whe_01kb3j5m8xe3vb0v6yq4s5t7wz' });
    expect(new Set([id, command, endpoint])).to.have.property('size', 3);
    expect(await idsIn(world)).to.have.members([id, command, endpoint]);
    const body = { type: 'webhook_endpoint.test', timestamp: AT, data: { endpointId: ENDPOINT } };
    expect(JSON.parse((await world.deliveries.get(id))?.body ?? '')).to.deep.equal(body);
  });
});

describe('A message of a job', () => {
  let api: JobApi;
  before(async () => void (api = await startJobApi()));
  after(() => api.close());

  const order = {
    brief: 'A brief of Ms. Secret.',
    inputs: { account: 'secret-input' },
    metadata: { costCentre: 'FIN-7' },
    notifyUrl: 'https://buyer.example/hooks?token=secret-token',
  };
  async function lastEvent(jobId: string): Promise<DomainEvent> {
    const event = (await readAll(api.services.events, `job-${jobId}`)).at(-1);
    if (event === undefined) throw new Error(`${jobId} has no event`);
    return decodeEvent(event);
  }
  async function told(jobId: string, type: 'job.completed' | 'job.failed'): Promise<string> {
    const event = await lastEvent(jobId);
    const job = await jobAt(api.services, jobId, event.revision);
    if (job === undefined) throw new Error(`${jobId} is not there`);
    return jobMessage(type, event, job, order.metadata);
  }

  const FIELDS = [
    'id',
    'status',
    'agent',
    'amountCents',
    'currency',
    'recordsCreated',
    'expectedRecords',
    'artifactCount',
    'metadata',
    'createdAt',
    'updatedAt',
    'history',
  ];

  it('holds exactly what is promised, and nothing that opens a door or that its owner wrote in private', async () => {
    const jobId = await api.jobIn('completed', api.buyer, order);
    const { status, amountCents, history } = await api.job(jobId);
    const body = await told(jobId, 'job.completed');
    const { at } = await lastEvent(jobId);
    const message = JSON.parse(body);
    expect(Object.keys(message)).to.deep.equal(['type', 'timestamp', 'data']);
    expect(message).to.include({ type: 'job.completed', timestamp: at });
    expect(Object.keys(message.data)).to.have.members(FIELDS);
    expect(message.data).to.deep.include({
      id: jobId,
      status,
      amountCents,
      artifactCount: 0,
      metadata: order.metadata,
      history,
      updatedAt: at,
    });
    expect(body).not.to.match(/secret|https?:|checkout|record-created|accountId|mandateId|keyId/i);
  });

  it('counts its artifacts, and names none of their addresses', async () => {
    const jobId = await api.jobIn('running', api.buyer, order);
    const attached = await api.send('PUT', `/v1/provider/jobs/${jobId}/artifacts/report.csv`, {
      ...api.agency,
      rawBody: 'a,b\n1,2\n',
    });
    expect(attached.status, attached.text).to.equal(200);
    await api.act('complete', jobId);
    const body = await told(jobId, 'job.completed');
    expect(JSON.parse(body).data.artifactCount).to.equal(1);
    expect(body).not.to.match(/secret|https?:|report\.csv/);
  });

  it('says why only where it failed', async () => {
    const jobId = await api.jobIn('failed', api.buyer, order);
    const { data } = JSON.parse(await told(jobId, 'job.failed'));
    expect(Object.keys(data)).to.have.members([...FIELDS, 'failure']);
    expect(data.failure).to.deep.equal({ code: 'unreadable', message: 'An image without text.' });
  });
});
