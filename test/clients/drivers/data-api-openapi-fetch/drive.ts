/** Reads the Data API through openapi-fetch, with the types of openapi-typescript. */
import { strict as assert } from 'node:assert';
import createClient from 'openapi-fetch';
import type { paths } from './schema';

const env = (name: string): string => {
  const value = process.env[name];
  assert(value !== undefined, name);
  return value;
};
const client = createClient<paths>({
  baseUrl: env('BASE_URL'),
  headers: { authorization: `Bearer ${env('READER_KEY')}` },
});

function told<T>(answer: { readonly data?: T; readonly error?: unknown }): T {
  assert(answer.data !== undefined, JSON.stringify(answer.error));
  return answer.data;
}

async function main(): Promise<void> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: 5, ...(cursor === undefined ? {} : { cursor }) };
    const page = told(await client.GET('/api/v1/models', { params: { query } }));
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.meta.nextCursor;
    if (cursor === null) assert.equal(ids.length, page.meta.total);
  }
  const withSlash = ids.find((id) => id.includes('/'));
  assert(withSlash !== undefined);
  const model = told(await client.GET('/api/v1/models/{id}', { params: { path: { id: withSlash } } }));
  assert.equal(model.data.id, withSlash);
  assert(model.data.perMillion !== undefined);

  const found = told(await client.GET('/api/v1/tools', { params: { query: { q: 'a', limit: 3 } } }));
  assert(Array.isArray(found.data));
  const absent = await client.GET('/api/v1/tools/{id}', { params: { path: { id: 'no-such-tool' } } });
  assert.equal(absent.error?.error.code, 'not_found');

  const mirrored = new Set<string>();
  for (let after: string | null | undefined; after !== null;) {
    const query = { dataset: 'models', limit: 5, ...(after === undefined ? {} : { after }) };
    const page = told(await client.GET('/api/v1/changes', { params: { query } }));
    for (const { id, status } of page.data) if (status === 'listed') mirrored.add(id);
    after = page.meta.nextCursor;
  }
  assert.deepEqual([...mirrored].sort(), [...ids].sort());

  const directories = told(await client.GET('/api/v1/directory'));
  assert(directories.data.length > 0);
  const usage = told(await client.GET('/api/v1/usage'));
  assert.equal(usage.data.plan, 'pro');
  console.log(`${ids.length} models, mirrored by their changes`);
}

await main();
