/** Buys, fulfils and asserts through a client that openapi-generator made for TypeScript (fetch). */
import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import * as api from './api/index';

const env = (name: string): string => {
  const value = process.env[name];
  assert(value !== undefined, name);
  return value;
};
const config = (key?: string): api.Configuration =>
  new api.Configuration({
    basePath: env('BASE_URL'),
    ...(key === undefined ? {} : { accessToken: env(key) }),
  });

const directory = new api.DirectoryApi(config());
const jobs = new api.JobsApi(config('BUYER_KEY'));
const webhooks = new api.WebhooksApi(config('BUYER_KEY'));
const provider = new api.ProviderApi(config('AGENCY_KEY'));
const operator = new api.OperatorApi(config('OPERATOR_KEY'));
const agent = env('AGENT');

async function refusal(call: Promise<unknown>): Promise<api.RefusedError> {
  try {
    await call;
  } catch (error) {
    assert(error instanceof api.ResponseError);
    return api.RefusedFromJSON(await error.response.json()).error;
  }
  throw new Error('nothing was refused');
}

async function main(): Promise<void> {
  const found = await directory.listAgents({ q: 'invoice', limit: 5 });
  assert(found.data[0] !== undefined && found.data[0].publishedAt.getFullYear() > 2000);
  const slugs: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await directory.listAgents({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
    slugs.push(...page.data.map(({ slug }) => slug));
    cursor = page.meta.nextCursor;
    if (cursor === null) assert.equal(slugs.length, page.meta.total);
  }
  const compared = await directory.compareAgents({ slugs: slugs.slice(0, 2) });
  assert.equal(compared.data.fields[0]?.values.length, 2);

  const { data: first } = await jobs.createTrial({
    idempotencyKey: 'full',
    createTrialRequest: {
      agent,
      brief: 'Match the invoices of October.',
      metadata: { costCentre: 'FIN-7' },
      inputs: { month: '2026-10' },
      expectedRecords: 2,
      notifyUrl: null,
    },
  });
  const second = await jobs.createTrialRaw({ createTrialRequest: { agent, brief: 'Once more.' } });
  assert.equal(second.raw.status, 201);
  const dear = await refusal(
    jobs.createTrial({ createTrialRequest: { agent, brief: 'x', maxAmountCents: 1 } }),
  );
  assert.equal(dear.code, 'price_changed');
  assert(Number(dear.details?.[0]?.value) > 1);
  const wrong = await refusal(jobs.createTrial({ createTrialRequest: { agent, brief: '' } }));
  assert.deepEqual([wrong.code, wrong.details?.[0]?.path], ['invalid_request', 'brief']);

  const { id, fundingUrl, recordWebhookUrl } = first;
  assert(typeof fundingUrl === 'string' && typeof recordWebhookUrl === 'string');
  const t = new URL(fundingUrl).searchParams.get('t') ?? '';
  const paid = await fetch(`${env('BASE_URL')}/checkout/${id}/pay`, {
    method: 'POST',
    body: new URLSearchParams({ t }),
  });
  assert(paid.ok);
  await provider.startJob({ jobId: id });
  const sent = randomBytes(4096);
  const stored = await provider.attachArtifact({ jobId: id, name: 'sent.bin', body: new Blob([sent]) });
  assert.equal(stored.data.size, 4096);
  await provider.completeJob({ jobId: id });
  assert.equal((await jobs.getJob({ jobId: id, wait: 5 })).data.status, 'completed');
  const { data: files } = await jobs.listArtifacts({ jobId: id });
  const link = new URL(files[0]?.url ?? '');
  const got = await jobs.downloadArtifact({
    artifactId: link.pathname.split('/').at(-1) ?? '',
    exp: link.searchParams.get('exp') ?? '',
    sig: link.searchParams.get('sig') ?? '',
  });
  assert(Buffer.from(await got.arrayBuffer()).equals(sent));

  const token = recordWebhookUrl.split('/').at(-1) ?? '';
  for (const status of [202, 200]) {
    const record = await jobs.assertRecordRaw({ token, assertRecordRequest: { recordId: `INV-${id}` } });
    assert.equal(record.raw.status, status);
    assert.equal((await record.value()).data.duplicate, status === 200);
  }
  const endpoint = await webhooks.createWebhookEndpoint({
    createWebhookEndpointRequest: { url: 'https://buyer.example/hooks' },
  });
  await webhooks.listWebhookDeliveries({ endpointId: endpoint.data.id });
  const made = await operator.registerAgencyRaw({
    slug: env('NEW_SLUG'),
    registerAgencyRequest: {
      name: 'Agency',
      tagline: 'New.',
      description: 'A new agency.',
      country: 'DE',
      legalName: 'Agency GmbH',
      foundedYear: 2020,
      links: {},
    },
  });
  assert.equal(made.raw.status, 201);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
