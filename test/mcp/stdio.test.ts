/** `bourse mcp` as a client starts it: from the local data, and before a remote instance. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdioTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { META } from '../../src/mcp/revisions.ts';
import { tools } from '../../src/mcp/tools.ts';
import { listenAnywhere } from '../support/ports.ts';
import { BOURSE } from '../support/shipped-program.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { connected, data, type McpApi, refusal, SEEDING_TIMEOUT_MS, startMcp } from './mcp-fixture.ts';

function started(args: readonly string[], env: Record<string, string>): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [BOURSE, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'inherit',
  });
}

async function walk(client: Client): Promise<void> {
  const { agents } = await data(client, 'search_agents', { limit: 1 });
  const agent = agents[0]!.slug;
  await data(client, 'get_agent_evidence', { slug: agent });
  expect((await refusal(client, 'get_agent_evidence', { slug: 'nobody' })).code).to.equal('not_found');
  await client.readResource({ uri: `bourse://agents/${agent}` });
  await client.getPrompt({ name: 'check_agent_evidence', arguments: { slug: agent } });
  const wanted = { agent, brief: 'Over stdio.', idempotencyKey: 'stdio-1' };
  const job = await data(client, 'create_trial_run', wanted);
  expect(await data(client, 'create_trial_run', wanted)).to.deep.equal(job);
  expect(await data(client, 'get_job_status', { jobId: job.id })).to.deep.equal(job);
  expect((await data(client, 'list_jobs', {})).jobs).to.deep.equal([job]);
  expect(await data(client, 'check_spend', { agent })).to.include({ allowed: true });
  expect((await data(client, 'get_artifacts', { jobId: job.id })).artifacts).to.deep.equal([]);
  expect((await data(client, 'cancel_job', { jobId: job.id })).status).to.equal('cancelled');
  expect(await data(client, 'get_mandate', {})).to.include({ spentThisPeriodCents: 0 });
  const { results } = await data(client, 'search', { query: agent.replaceAll('-', ' ') });
  expect(await data(client, 'fetch', { id: results[0]?.id })).to.include({ url: results[0]?.url });
}

describe('bourse mcp', function () {
  this.timeout(120_000);
  let api: McpApi;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
  });
  after(() => api.close());

  it('fronts a remote instance', async () => {
    const { key } = await api.newKey({
      scopes: ['trials:create', 'jobs:read', 'jobs:cancel', 'mandate:read'],
    });
    const client = await connected(started(['--base', api.url], { BOURSE_API_KEY: key }));
    expect(client.getServerVersion()).to.include({ name: 'bourse' });
    await walk(client);
    await client.close();
  });

  it('tells a model about the key that is missing', async () => {
    const client = await connected(started(['--base', `${api.url}/`], {}));
    const told = await refusal(client, 'get_job_status', { jobId: 'job_x' });
    expect(told.code).to.equal('api_key_missing');
    expect(told.told).to.include('BOURSE_API_KEY');
    await client.close();
  });

  it('fronts a remote instance for a client without a handshake', async () => {
    const { key } = await api.newKey();
    const client = new NewClient({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const folder = await tempFolder();
    await writeFile(folder.file('key'), `${key}\n`);
    const args = [BOURSE, 'mcp', '--base', api.url, '--key-file', folder.file('key')];
    await client.connect(new NewStdioTransport({ command: process.execPath, args, stderr: 'inherit' }));
    expect(client.getNegotiatedProtocolVersion()).to.equal('2026-07-28');
    expect((await client.listTools()).tools).to.have.length(tools.length);
    const read = await client.readResource({ uri: 'bourse://methodology' });
    expect(read.contents).to.have.length(1);
    await client.close();
    await folder.remove();
  });

  it('takes no key from the command line, where every user of the machine could read it', async () => {
    const asked = promisify(execFile)(process.execPath, [BOURSE, 'mcp', '--key', 'brs_ak_secret']);
    const refused = await asked.then(
      () => null,
      (error: { readonly code: number; readonly stderr: string }) => error,
    );
    expect(refused?.code).to.equal(2);
    expect(refused?.stderr).to.include('set BOURSE_API_KEY').and.not.include('brs_ak_secret');
  });

  it('words what the remote refuses by its status as the revision has it', async () => {
    const claim = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };
    const job = { name: 'get_job_status', arguments: { jobId: 'job_x' } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: job };
    const asked = [call, { ...call, id: 2, params: { ...job, _meta: claim } }];
    const said = asked.map((message) => JSON.stringify(message));
    const { lines } = await spoken({ BOURSE_API_KEY: 'brs_ak_wrong' }, said, ['--base', api.url]);
    const results = new Map(lines.map((line) => JSON.parse(line)).map(({ id, result }) => [id, result]));
    for (const id of [1, 2]) expect(results.get(id).content[0].text).to.match(/^api_key_invalid: /);
    expect(results.get(1)).to.not.have.property('resultType');
    expect(results.get(2)).to.include({ resultType: 'complete' });
  });

  it('serves the local data, writes nothing but protocol, and ends with its input', async () => {
    const folder = await tempFolder();
    const run = promisify(execFile);
    const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder.path };
    await run(process.execPath, [BOURSE, 'seed'], { env });
    const scopes = [
      '--scopes',
      'trials:create,jobs:read,jobs:cancel,mandate:read',
      '--allow',
      'trial:create',
    ];
    const caps = ['--max-per-transaction', '100000', '--max-monthly', '100000'];
    const made = await run(
      process.execPath,
      [BOURSE, 'key', 'create', '--account', 'me', '--name', 'Me', ...scopes, ...caps, '--json'],
      { env },
    );
    const { key } = JSON.parse(made.stdout);
    const client = await connected(started([], { DATA_DIR: folder.path, BOURSE_API_KEY: key }));
    await walk(client);
    await client.close();

    const hostile = (q: string): string =>
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_agents","arguments":{"q":${q}}}}`;
    const { lines, code } = await spoken({ ...env }, [
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      'this is no message',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_agents","arguments":{"limit":1}}}',
      hostile(String.raw`"\ud83d"`),
      hostile('1e400'),
      hostile('9007199254740993'),
      '{"jsonrpc":"2.0","id":4,"method":"tools/list","params":null}',
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"search_agents","arguments":null}}',
      '[{"jsonrpc":"2.0","id":6,"method":"ping"}]',
    ]);
    expect(code).to.equal(0);
    expect(lines).to.have.length(9);
    const answers = lines.map((line) => JSON.parse(line));
    for (const id of [4, 5]) expect(answers.find((answer) => answer.id === id)).to.have.property('result');
    expect(answers.filter(({ id }) => id === null).map(({ error }) => error.code)).to.deep.equal([
      -32_700, -32_600,
    ]);
    const refused = lines.map((line) => JSON.parse(line)).filter(({ id }) => id === 3);
    expect(refused.map(({ error }) => error.code)).to.have.members([-32_700, -32_700, -32_600]);
    expect(refused.find(({ error }) => error.code === -32_600)?.error.message).to.include(
      'params.arguments.q must be within ±9007199254740991',
    );
    for (const line of lines) expect(JSON.parse(line)).to.include({ jsonrpc: '2.0' });
    await folder.remove();
  });

  it('says so when nobody answers there, or not as MCP', async () => {
    const page = createServer((_req, res) => res.end('<h1>Hello</h1>'));
    const port = await listenAnywhere(page);
    const ask = ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}'];
    for (const [base, said] of [
      [`http://127.0.0.1:${port}`, 'not as MCP'],
      ['http://127.0.0.1:9', 'cannot be reached'],
    ] as const) {
      const { lines } = await spoken({}, ask, ['--base', base]);
      expect(JSON.parse(lines[0] ?? '').error.message).to.include(said);
    }
    page.close();
  });
});

async function spoken(
  env: Record<string, string>,
  say: readonly string[],
  args: readonly string[] = [],
): Promise<{ readonly lines: readonly string[]; readonly code: unknown }> {
  const child = spawn(process.execPath, [BOURSE, 'mcp', ...args], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.end(`${say.join('\n')}\n`);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = await once(child, 'close');
  return { lines: text.trim().split('\n'), code };
}
