/** Jobs over HTTP: a buyer, an agency and an operator, and the steps that lead a job into each of its states. */
import { receivePayment } from '../../src/operations/jobs/receive-payment.ts';
import { exampleOf } from '../../events/catalog.ts';
import { jobDecider } from '../../commands/job/job.ts';
import type { JobStatus } from '../../events/job-status.ts';
import { payTestCheckout } from '../../src/operations/jobs/checkout.ts';
import { type OrderedJob, orderedJobSchema } from '../../src/operations/jobs/job-schema.ts';
import { startApi, type ApiOptions, type TestAnswer, type TestApi, type TestKey } from './api.ts';
import { readAll } from './event-log.ts';
import { publishExamples } from './memory-market.ts';

export const AGENT = exampleOf('AgentPublished').agent;
const AGENCY = exampleOf('AgentPublished').listing.agency.slug;

export interface JobApi extends TestApi {
  readonly buyer: TestKey;
  readonly agency: TestKey;
  readonly operator: TestKey;
  /** A new draft of the buyer (or of another key), its id. */
  readonly draft: (key?: TestKey, more?: object) => Promise<string>;
  /** A new job in this state. */
  readonly jobIn: (status: JobStatus, key?: TestKey, more?: object) => Promise<string>;
  readonly act: (action: 'start' | 'complete' | 'fail', jobId: string) => Promise<TestAnswer>;
  readonly job: (jobId: string) => Promise<OrderedJob>;
}

const ACCOUNT = 'the-buyer';
const RICH = { maxPerTransactionCents: 1_000_000, maxMonthlyCents: 1_000_000_000 };

export async function startJobApi(options: ApiOptions = {}): Promise<JobApi> {
  const api = await startApi(options);
  await publishExamples(api.services);
  const scopes = ['trials:create', 'jobs:read', 'jobs:cancel', 'mandate:read', 'webhooks:manage'] as const;
  const newBuyer = () => api.newKey({ account: ACCOUNT, scopes, terms: RICH });
  const buyer = await newBuyer();
  const agency = await api.newKey({ scopes: ['provider:fulfil'], agency: AGENCY });
  const operator = await api.newKey({ scopes: ['operator:write'] });

  async function draft(key: TestKey = buyer, more: object = {}): Promise<string> {
    const answer = await api.post('/v1/trials', { agent: AGENT, brief: 'Do it.', ...more }, key);
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.data.id);
  }
  function act(action: string, jobId: string): Promise<TestAnswer> {
    const body = action === 'fail' ? { code: 'unreadable', message: 'An image without text.' } : {};
    return api.post(`/v1/provider/jobs/${jobId}/${action}`, body, agency);
  }
  async function pay(jobId: string): Promise<void> {
    const { state } = await api.services.commands.load(jobDecider, jobId, now());
    if (state.status === 'absent') throw new Error('no such job');
    const { amountCents } = state.draft;
    await payTestCheckout(
      api.services,
      { id: jobId, amountCents },
      { at: now(), requestId: 'test', actor: 'test' },
    );
  }
  async function jobIn(status: JobStatus, key = buyer, more: object = {}): Promise<string> {
    // What expires moves the clock of its mandate: each with one of its own.
    const jobId = await draft(status === 'expired' ? await newBuyer() : key, more);
    if (status === 'draft') return jobId;
    if (status === 'cancelled') await api.post(`/v1/jobs/${jobId}/cancel`, {}, key);
    else if (status === 'expired') await expire(jobId);
    else {
      await pay(jobId);
      if (status === 'refunded') await refund(jobId);
      else if (status !== 'funded') await act('start', jobId);
      if (status === 'completed') await act('complete', jobId);
      if (status === 'failed') await act('fail', jobId);
    }
    return jobId;
  }
  async function expire(jobId: string): Promise<void> {
    const call = { at: tomorrow(), actor: 'scheduler', requestId: 'test', commandId: `expire:${jobId}` };
    const { kind } = await api.services.commands.run(jobDecider, jobId, { type: 'ExpireJob' }, call);
    if (kind !== 'accepted') throw new Error(kind);
  }
  async function refund(jobId: string): Promise<void> {
    await api.post(`/v1/operator/jobs/${jobId}/refund`, { reason: 'test' }, operator);
    // The reaction that gives the money back is to be through with it.
    const isReturned = async () => (await readAll(api.services.events, `job-${jobId}`)).length === 4;
    while (!(await isReturned())) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const job = async (jobId: string): Promise<OrderedJob> =>
    orderedJobSchema.parse((await api.get(`/v1/jobs/${jobId}`, buyer)).body.data);
  return { ...api, buyer, agency, operator, draft, jobIn, act, job };
}

export function now(): string {
  return new Date().toISOString();
}

/** A moment at which every draft of today is over. */
export function tomorrow(): string {
  return new Date(Date.now() + 25 * 60 * 60 * 1_000).toISOString();
}

/** Pays a job as the test checkout would. */
export async function payFor(api: JobApi, jobId: string, reference = `p-${jobId}`) {
  const { amountCents } = await api.job(jobId);
  const payment = { provider: 'test', reference, amountCents } as const;
  return receivePayment(api.services, jobId, payment, { at: now(), requestId: 'test' });
}
