/** A log that for a moment gives nothing of streams that it holds: nobody is told that what is there is not. */
import { exampleOf } from '../../events/catalog.ts';
import { expect } from 'chai';
import type { EventStore } from '../../events/event-store.ts';
import { idFrom } from '../../events/ids.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import type { TestAnswer } from '../support/api.ts';
import { AGENT, type JobApi, now, startJobApi } from '../support/job-flows.ts';

describe('A log that gives nothing of what it holds', () => {
  let hidden: string | null;
  let api: JobApi;
  beforeEach(async () => {
    hidden = null;
    const log = memoryEventStore();
    const events: EventStore = {
      ...log,
      read: (streamId, options) =>
        hidden !== null && streamId.startsWith(hidden) ? nothing() : log.read(streamId, options),
    };
    api = await startJobApi({ engines: { events }, services: { events, commands: coldRunner(events) } });
  });
  afterEach(() => api.close());

  const hiding = async (streams: string, ask: () => Promise<TestAnswer>): Promise<void> => {
    await api.services.projector.caughtUp();
    hidden = streams;
    const answer = await ask();
    hidden = null;
    expect([answer.status, answer.body.error?.code], answer.text).to.deep.equal([503, 'unavailable']);
    expect(answer.headers.get('Retry-After')).to.be.a('string');
  };

  it('lets no spend and no question after a mandate end in 500', async () => {
    const { key } = api.buyer;
    await hiding('mandate-', () => api.post('/v1/trials', { agent: AGENT, brief: 'Do it.' }, { key }));
    await hiding('mandate-', () => api.get('/v1/mandate', { key }));
    await hiding('mandate-', () => api.get('/v1/mandate/history', { key }));
    expect(api.logged().filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('does not deny a job that a view shows, to whomever', async () => {
    const jobId = await api.jobIn('funded');
    await hiding('job-', () => api.get(`/v1/jobs/${jobId}`, api.buyer));
    await hiding('job-', () => api.post(`/v1/jobs/${jobId}/cancel`, {}, api.buyer));
    await hiding('job-', () => api.act('start', jobId));
    await hiding('job-', () =>
      api.post(`/v1/operator/jobs/${jobId}/refund`, { reason: 'test' }, api.operator),
    );
  });

  it('does not deny the address of a record webhook that it signed', async () => {
    const { recordWebhookUrl } = await api.job(await api.jobIn('running'));
    const path = new URL(recordWebhookUrl ?? '').pathname;
    await hiding('job-', () => api.post(path, { recordId: 'INV-1' }));
  });

  it('does not deny a key to whoever manages it', async () => {
    const scopes = ['keys:manage', 'jobs:read'] as const;
    const manager = await api.newKey({ account: 'managed', scopes });
    const { keyId } = await api.newKey({ account: 'managed', scopes: ['jobs:read'] });
    for (const change of ['rotate', 'suspend', 'resume'])
      await hiding('key-', () => api.post(`/v1/keys/${keyId}/${change}`, {}, manager));
    const unknown = idFrom('apiKey', now(), 'nobody has it');
    expect((await api.post(`/v1/keys/${unknown}/suspend`, {}, manager)).status).to.equal(404);
  });

  it('does not deny an endpoint to its owner', async () => {
    const added = await api.post('/v1/webhook-endpoints', { url: 'https://buyer.example/' }, api.buyer);
    const path = `/v1/webhook-endpoints/${String(added.body.data['id'])}`;
    for (const change of ['disable', 'enable', 'rotate-secret'])
      await hiding('webhook-', () => api.post(`${path}/${change}`, {}, api.buyer));
    await hiding('webhook-', () => api.send('DELETE', path, api.buyer));
    await hiding('webhook-', () => api.get(`${path}/deliveries`, api.buyer));
    const unknown = idFrom('webhookEndpoint', now(), 'nobody has it');
    expect((await api.send('DELETE', `/v1/webhook-endpoints/${unknown}`, api.buyer)).status).to.equal(404);
  });

  it('does not deny an agency its own directory', async () => {
    await hiding('agent-', () =>
      api.post(`/v1/provider/agents/${AGENT}/retire`, { reason: 'test' }, api.agency),
    );
    const profile = { ...exampleOf('AgencyRegistered').profile };
    const headers = { 'Content-Type': 'application/json' };
    await hiding('agency-', () =>
      api.send('PUT', '/v1/provider/agency', { ...api.agency, headers, rawBody: JSON.stringify(profile) }),
    );
  });
});

async function* nothing(): AsyncGenerator<never, void> {}

/** As a process that has just started, for each command: nothing is remembered of a stream. */
function coldRunner(events: EventStore): CommandRunner {
  const runner = () => createCommandRunner(events);
  return {
    ...runner(),
    run: (...asked) => runner().run(...asked),
    load: (...asked) => runner().load(...asked),
    loadAt: (...asked) => runner().loadAt(...asked),
    findPrevious: (...asked) => runner().findPrevious(...asked),
  };
}
