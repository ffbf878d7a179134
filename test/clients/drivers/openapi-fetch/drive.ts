/** Buys and fulfils through openapi-fetch, with the types of openapi-typescript. */
import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from './schema';

const env = (name: string): string => {
  const value = process.env[name];
  assert(value !== undefined, name);
  return value;
};
const client = (key?: string) =>
  createClient<paths>({
    baseUrl: env('BASE_URL'),
    ...(key === undefined ? {} : { headers: { authorization: `Bearer ${env(key)}` } }),
  });
const publicly = client();
const buyer = client('BUYER_KEY');
const agency = client('AGENCY_KEY');
const agent = env('AGENT');

function told<T>(answer: { readonly data?: T; readonly error?: unknown }): T {
  assert(answer.data !== undefined, JSON.stringify(answer.error));
  return answer.data;
}

async function main(): Promise<void> {
  const slugs: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: 7, ...(cursor === undefined ? {} : { cursor }) };
    const page = told(await publicly.GET('/v1/agents', { params: { query } }));
    slugs.push(...page.data.map(({ slug }) => slug));
    cursor = page.meta.nextCursor;
    if (cursor === null) assert.equal(slugs.length, page.meta.total);
  }
  const compared = told(
    await publicly.GET('/v1/agents/compare', { params: { query: { slugs: slugs.slice(0, 2) } } }),
  );
  assert.equal(compared.data.fields[0]?.values.length, 2);

  const made = await buyer.POST('/v1/trials', {
    params: { header: { 'Idempotency-Key': 'full' } },
    body: { agent, brief: 'Match the invoices of October.', inputs: { month: '2026-10' }, notifyUrl: null },
  });
  assert.equal(made.response.status, 201);
  const { id, fundingUrl } = told(made).data;
  const dear = await buyer.POST('/v1/trials', { body: { agent, brief: 'Dear.', maxAmountCents: 1 } });
  assert.equal(dear.error?.error.code, 'price_changed');
  assert(Number(dear.error.error.details?.[0]?.value) > 1);

  assert(typeof fundingUrl === 'string');
  const t = new URL(fundingUrl).searchParams.get('t') ?? '';
  const body = new URLSearchParams({ t });
  assert((await fetch(`${env('BASE_URL')}/checkout/${id}/pay`, { method: 'POST', body })).ok);
  const job = { params: { path: { jobId: id } } };
  told(await agency.POST('/v1/provider/jobs/{jobId}/start', job));
  const sent = randomBytes(4096);
  const stored = await agency.PUT('/v1/provider/jobs/{jobId}/artifacts/{name}', {
    params: { path: { jobId: id, name: 'sent.bin' } },
    headers: { 'content-type': 'application/octet-stream' },
    // Bytes are `string` in these types, and whatever fetch takes here.
    body: sent as unknown as string,
    bodySerializer: (bytes) => bytes,
  });
  assert.equal(told(stored).data.size, 4096);
  told(await agency.POST('/v1/provider/jobs/{jobId}/complete', job));
  const done = await buyer.GET('/v1/jobs/{jobId}', {
    params: { ...job.params, query: { wait: 5 } },
  });
  assert.equal(told(done).data.status, 'completed');
  const files = told(await buyer.GET('/v1/jobs/{jobId}/artifacts', job));
  const link = new URL(files.data[0]?.url ?? '');
  const got = await publicly.GET('/artifacts/{artifactId}', {
    params: {
      path: { artifactId: link.pathname.split('/').at(-1) ?? '' },
      query: { exp: link.searchParams.get('exp') ?? '', sig: link.searchParams.get('sig') ?? '' },
    },
    parseAs: 'arrayBuffer',
  });
  assert(Buffer.from(told(got)).equals(sent));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
