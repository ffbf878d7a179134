import { createHash } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import { startApi, type TestAnswer, type TestApi, type TestKey } from '../support/api.ts';
import { until } from '../support/until.ts';

const JSONL = 'application/x-ndjson';

describe('Imports over HTTP', () => {
  let api: TestApi;
  let operator: TestKey;
  before(async () => {
    api = await startApi();
    operator = await api.newKey({ scopes: ['operator:write'] });
  });
  after(() => api.close());

  let platforms = 0;
  /** A data set of its own for each test. */
  const newSet = (): string => `directory/platform-${(platforms += 1)}/things`;
  const row = (id: number, more: object = {}): string =>
    JSON.stringify({ id: `row-${id}`, name: `Thing ${id}`, ...more });
  const rows = (count: number, more: object = {}): string =>
    Array.from({ length: count }, (_, id) => row(id, more)).join('\n');

  const send = (query: Record<string, string>, rawBody: string, headers: Record<string, string> = {}) =>
    api.send('POST', `/v1/operator/imports?${new URLSearchParams(query).toString()}`, {
      key: operator.key,
      rawBody,
      headers: { 'Content-Type': JSONL, ...headers },
    });
  const known = (dataset: string) => readKnownRows(api.services.events, dataset);
  const isUntouched = async (dataset: string): Promise<boolean> => (await known(dataset)).after === null;
  const refusalOf = ({ status, body }: TestAnswer) => [status, body.error.code];

  it('take the good rows, tell the others by their lines, and are listed', async () => {
    const dataset = newSet();
    const body = `${row(1)}\n{"url":"https://no-name.example/"}\n${row(2)}\nnot JSON`;
    const answer = await send({ dataset, name: 'things.jsonl', attribution: 'Thing lovers' }, body);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.data).to.deep.include({
      dataset,
      rows: 4,
      counts: { added: 2, changed: 0, returned: 0, retired: 0, unchanged: 0, refused: 2 },
      refused: [
        { line: 2, reason: 'it has no name' },
        { line: 4, reason: 'it is no JSON' },
      ],
    });

    const { importId } = answer.body.data;
    const [first] = (await api.get(`/v1/operator/imports?dataset=${dataset}`, operator)).body.data;
    expect(first).to.deep.include({ importId, by: `key:${operator.keyId}`, status: 'finished' });
    expect(first?.['source']).to.deep.equal({
      kind: 'upload',
      name: 'things.jsonl',
      sha256: sha256(body),
      bytes: body.length,
    });
    const one = await api.get(`/v1/operator/imports/${String(importId)}`, operator);
    expect(one.body.data).to.deep.equal(first);
    expect((await known(dataset)).attribution?.text).to.equal('Thing lovers');

    const again = await send({ dataset }, body);
    expect(again.body.data).to.deep.include({ importId: null, rows: 4 });
    expect(again.body.data['counts']).to.deep.include({ added: 0, unchanged: 2 });
  });

  it('take a JSON array, and CSV', async () => {
    const dataset = newSet();
    const array = await send({ dataset }, `[${row(1)},${row(2)}]`, { 'Content-Type': 'application/json' });
    expect(array.body.data['counts']).to.deep.include({ added: 2 });
    const csv = await send({ dataset }, 'id,name\nrow-3,"Thing, 3"\n', {
      'Content-Type': 'text/csv; charset=utf-8',
    });
    expect(csv.body.data['counts']).to.deep.include({ added: 1 });
    const named = await send({ dataset, format: 'csv' }, 'id,name\nrow-4,Thing 4\n', {
      'Content-Type': 'application/octet-stream',
    });
    expect(named.body.data['counts']).to.deep.include({ added: 1 });
  });

  it('refuse what cannot be told apart or read, and add nothing of it', async () => {
    const dataset = newSet();
    const unnamed = await send({ dataset }, rows(2), { 'Content-Type': 'application/octet-stream' });
    expect(refusalOf(unnamed)).to.deep.equal([415, 'unsupported_media_type']);
    const cut = await send({ dataset, format: 'json' }, `[${row(1)},`);
    expect(refusalOf(cut)).to.deep.equal([400, 'invalid_request']);
    expect(cut.body.error.message).to.include('cut short');
    const wide = await send({ dataset, format: 'csv' }, `name${',c'.repeat(200)}\nThing${','.repeat(200)}\n`);
    expect(refusalOf(wide)).to.deep.equal([400, 'invalid_request']);
    expect(wide.body.error.message).to.include('its header has 201 columns, of at most 200');
    const other = await send({ dataset }, rows(2), { 'X-Content-SHA256': sha256('another body') });
    expect(refusalOf(other)).to.deep.equal([400, 'invalid_request']);
    expect(other.body.error.message).to.include(sha256(rows(2)));
    const stray = await send({ dataset, licence: 'MIT' }, rows(2));
    expect(stray.body.error.details?.[0]?.path).to.equal('attribution');
    const misspelt = await send({ dataset: 'tool' }, rows(2));
    expect(misspelt.body.error.details?.[0]?.path).to.equal('dataset');
    const typo = await send({ dataset, compelte: 'true' }, rows(2));
    expect(typo.body.error.details?.[0]?.path).to.equal('compelte');
    expect(await isUntouched(dataset)).to.equal(true);
    expect((await send({ dataset }, rows(2), { 'X-Content-SHA256': sha256(rows(2)) })).status).to.equal(200);
  });

  it('refuse a body that is announced as too large, unread', async () => {
    const sending = begin({ dataset: newSet() }, { 'Content-Length': String(257 * 1_024 ** 2) });
    const { statusCode } = await answered(sending);
    sending.destroy();
    expect(statusCode).to.equal(413);
  });

  it('retire a fifth at most, unless they are told to', async () => {
    const dataset = newSet();
    await send({ dataset, complete: 'true' }, rows(10));
    const refused = await send({ dataset, complete: 'true' }, `${rows(7)}\n{"name":"Thing","id":""}\n[]`);
    expect(refusalOf(refused)).to.deep.equal([409, 'conflict']);
    expect(refused.body.error.message).to.include('3 of 10');
    expect(refused.body.error.details).to.deep.include({ path: 'line 9', message: 'it is no JSON object' });
    expect((await known(dataset)).rows.size).to.equal(10);
    const dry = await send({ dataset, complete: 'true', yesRetireMany: 'true', dryRun: 'true' }, rows(7));
    expect(dry.body.data).to.deep.include({ importId: null, dryRun: true });
    expect(dry.body.data['counts']).to.deep.include({ retired: 3 });
    expect(listed(await known(dataset))).to.equal(10);
    await send({ dataset, complete: 'true', yesRetireMany: 'true' }, rows(7));
    expect(listed(await known(dataset))).to.equal(7);
  });

  it('are done once with an Idempotency-Key, also when others came after', async () => {
    const dataset = newSet();
    const key = { 'Idempotency-Key': `import-${dataset}` };
    const first = await send({ dataset }, rows(2), key);
    await send({ dataset }, rows(2, { since: 'then' }));
    const head = await api.services.events.head();
    const again = await send({ dataset }, rows(2), key);
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(again.body.data).to.deep.equal(first.body.data);
    expect(await api.services.events.head()).to.equal(head);
    const other = await send({ dataset }, rows(3), key);
    expect(refusalOf(other)).to.deep.equal([422, 'idempotency_mismatch']);
    expect(await api.services.events.head()).to.equal(head);
  });

  it('add nothing of a body whose sender goes away, however much had come', async () => {
    const dataset = newSet();
    const sending = begin({ dataset }, {});
    sending.write(`${rows(5_000, { text: 'x'.repeat(400) })}\n`);
    await new Promise((resolve) => sending.write(row(5_001), resolve));
    const before = api.logged().length;
    sending.destroy();
    await until('it was given up', async () =>
      api
        .logged()
        .slice(before)
        .some(({ operation }) => operation === 'createImport'),
    );
    expect(await isUntouched(dataset)).to.equal(true);
    expect((await send({ dataset }, rows(1))).body.data['counts']).to.deep.include({ added: 1 });
  });

  it('cannot mix: of two at once the one that ends later changes nothing', async () => {
    const dataset = newSet();
    const slow = begin({ dataset, complete: 'true' }, {});
    slow.write(`${rows(3, { by: 'slow' })}\n`);
    const answer = answered(slow);
    // Whatever it has read by then, another comes first.
    let quick = await send({ dataset, complete: 'true' }, rows(3, { by: 'quick' }));
    expect(quick.status).to.equal(200);
    quick = await send({ dataset, complete: 'true' }, rows(3, { by: 'quicker' }));
    expect(quick.body.data['counts']).to.deep.include({ changed: 3 });
    slow.end(row(3, { by: 'slow' }));
    const { statusCode } = await answer;
    // It may have looked at the rows after both, and then it changes what they left.
    const { rows: all } = await known(dataset);
    expect([statusCode, all.size]).to.be.deep.oneOf([
      [409, 3],
      [200, 4],
    ]);
  });

  function begin(query: Record<string, string>, headers: Record<string, string>): ClientRequest {
    const address = `${api.url}/v1/operator/imports?${new URLSearchParams(query).toString()}`;
    const sending = request(address, {
      method: 'POST',
      headers: { Authorization: `Bearer ${operator.key}`, 'Content-Type': JSONL, ...headers },
    });
    sending.on('error', () => {});
    sending.flushHeaders();
    return sending;
  }
});

describe('Plans over HTTP', () => {
  let api: TestApi;
  before(async () => (api = await startApi()));
  after(() => api.close());

  it('are given, exchanged and taken away by operators, and hold at once', async () => {
    const operator = await api.newKey({ scopes: ['operator:write'] });
    const customer = await api.newKey({ scopes: ['data:read'], account: 'data-customer' });
    const plan = (of: string) => `/v1/operator/accounts/${of}/plan`;
    const usage = () => api.get('/api/v1/usage', customer);
    const put = (of: string, name: string) =>
      api.send('PUT', plan(of), {
        key: operator.key,
        rawBody: JSON.stringify({ plan: name }),
        headers: { 'Content-Type': 'application/json' },
      });

    const none = await api.get(plan('data-customer'), operator);
    const { accountId } = customer;
    expect(none.body.data).to.deep.equal({
      accountId,
      handle: 'data-customer',
      plan: null,
      perMinute: null,
      perMonth: null,
    });
    expect((await usage()).status).to.equal(403);
    expect((await put('data-customer', 'starter')).body.data).to.deep.include({
      plan: 'starter',
      perMinute: 60,
    });
    expect((await usage()).body.data['plan']).to.equal('starter');
    expect((await put(accountId, 'pro')).body.data).to.deep.include({ plan: 'pro', perMonth: 500_000 });
    expect((await put(accountId, 'pro')).status).to.equal(200);
    expect((await usage()).body.data['plan']).to.equal('pro');
    expect((await put(accountId, 'gold')).body.error.details?.[0]?.path).to.equal('plan');
    expect((await put('nobody-here', 'pro')).status).to.equal(404);
    const gone = await api.send('DELETE', plan(accountId), { key: operator.key });
    expect(gone.body.data).to.deep.include({ plan: null });
    expect((await usage()).status).to.equal(403);
    expect((await api.send('DELETE', plan(accountId), { key: operator.key })).status).to.equal(409);
  });
});

function listed({ rows }: Awaited<ReturnType<typeof readKnownRows>>): number {
  return [...rows.values()].filter(({ isListed }) => isListed).length;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function answered(sending: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.on('response', (answer) => {
      answer.resume();
      resolve(answer);
    });
    sending.on('close', () => reject(new Error('closed without an answer')));
  });
}
