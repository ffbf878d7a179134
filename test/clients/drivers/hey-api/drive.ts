/** Buys and fulfils through the client that @hey-api/openapi-ts made. */
import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { createClient } from './made/client';
import * as api from './made';

const env = (name: string): string => {
  const value = process.env[name];
  assert(value !== undefined, name);
  return value;
};
const client = (key?: string) =>
  createClient({ baseUrl: env('BASE_URL'), ...(key === undefined ? {} : { auth: env(key) }) });
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
    const page = told(await api.listAgents({ client: publicly, query }));
    slugs.push(...page.data.map(({ slug }) => slug));
    cursor = page.meta.nextCursor;
    if (cursor === null) assert.equal(slugs.length, page.meta.total);
  }
  const two = { slugs: slugs.slice(0, 2) };
  const compared = told(await api.compareAgents({ client: publicly, query: two }));
  assert.equal(compared.data.fields[0]?.values.length, 2);

  const made = await api.createTrial({
    client: buyer,
    headers: { 'Idempotency-Key': 'full' },
    body: { agent, brief: 'Match the invoices of October.', inputs: { month: '2026-10' }, notifyUrl: null },
  });
  assert.equal(made.response?.status, 201);
  const { id, fundingUrl } = told(made).data;
  const dear = await api.createTrial({ client: buyer, body: { agent, brief: 'Dear.', maxAmountCents: 1 } });
  assert.equal(dear.error?.error.code, 'price_changed');
  assert(Number(dear.error.error.details?.[0]?.value) > 1);

  assert(typeof fundingUrl === 'string');
  const t = new URL(fundingUrl).searchParams.get('t') ?? '';
  const body = new URLSearchParams({ t });
  assert((await fetch(`${env('BASE_URL')}/checkout/${id}/pay`, { method: 'POST', body })).ok);
  const path = { jobId: id };
  told(await api.startJob({ client: agency, path }));
  const sent = randomBytes(4096);
  const stored = await api.attachArtifact({
    client: agency,
    path: { ...path, name: 'sent.bin' },
    body: new Blob([sent]),
  });
  assert.equal(told(stored).data.size, 4096);
  told(await api.completeJob({ client: agency, path }));
  assert.equal(told(await api.getJob({ client: buyer, path, query: { wait: 5 } })).data.status, 'completed');
  const files = told(await api.listArtifacts({ client: buyer, path }));
  const link = new URL(files.data[0]?.url ?? '');
  const got = await api.downloadArtifact({
    client: publicly,
    path: { artifactId: link.pathname.split('/').at(-1) ?? '' },
    query: { exp: link.searchParams.get('exp') ?? '', sig: link.searchParams.get('sig') ?? '' },
    parseAs: 'blob',
  });
  const file: Blob | File = told(got);
  assert(Buffer.from(await file.arrayBuffer()).equals(sent));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
