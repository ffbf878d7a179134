/**
 * The pages are followed with the key of the demonstration buyer: each call that they name and that a buyer may make is
 * made with it, in the order of a life. Where it may not, the page says whose call it is.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { routes } from '../../src/http/routes.ts';
import type { Route } from '../../src/transport/route.ts';
import { namesFrom } from '../attacks/attacked.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { settled } from '../support/fleet.ts';
import { projectRoot } from '../support/project-root.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Made from the code, or of something else than calling it. */
const NOT_FOLLOWED = [
  'limits.md',
  'errors.md',
  'events.md',
  'settings.md',
  'benchmarks.md',
  'architecture.md',
];
const CALL = /\b(GET|POST|PUT|PATCH|DELETE) (?:\$\w+)?((?:\/api)?\/v1\/[^\s`"')|]*)/g;
const NOBODY = '127.0.0.1:9';

interface Step {
  readonly call: string;
  readonly body?: object;
  /** What its answer names for the addresses after it, by where it stands in `data`. */
  readonly names?: Readonly<Record<string, string>>;
  /** The code that its plan or state leads to, which the page explains. */
  readonly refused?: string;
}

const reason = { reason: 'The demonstration.' };
const WALK: readonly Step[] = [
  { call: 'GET /v1/key' },
  { call: 'POST /v1/trials', body: { agent: 'invoice-matcher', brief: 'Match.' }, names: { jobId: 'id' } },
  { call: 'GET /v1/jobs' },
  { call: 'GET /v1/jobs/{jobId}' },
  { call: 'GET /v1/spending' },
  { call: 'POST /v1/jobs/{jobId}/record-secret' },
  { call: 'POST /v1/jobs/{jobId}/withdraw-links' },
  { call: 'POST /v1/jobs/{jobId}/cancel' },
  { call: 'GET /v1/mandate' },
  { call: 'GET /v1/mandate/history' },
  { call: 'GET /v1/mandate/export' },
  { call: 'POST /v1/keys', body: { name: 'Reader', scopes: ['jobs:read'] }, names: { keyId: 'id' } },
  { call: 'GET /v1/keys' },
  { call: 'GET /v1/keys/{keyId}' },
  { call: 'PATCH /v1/keys/{keyId}', body: { name: 'Reader of jobs' } },
  { call: 'POST /v1/keys/{keyId}/rotate', body: {} },
  { call: 'POST /v1/keys/{keyId}/suspend', body: reason },
  { call: 'POST /v1/keys/{keyId}/resume', body: {} },
  { call: 'POST /v1/keys/{keyId}/revoke', body: reason },
  {
    call: 'POST /v1/webhook-endpoints',
    body: { url: 'https://nobody.example/hooks' },
    names: { endpointId: 'id' },
  },
  { call: 'PATCH /v1/webhook-endpoints/{endpointId}', body: { description: 'Mine.' } },
  { call: 'POST /v1/webhook-endpoints/{endpointId}/test' },
  { call: 'GET /v1/webhook-endpoints/{endpointId}/deliveries', names: { deliveryId: '0.id' } },
  { call: 'POST /v1/webhook-deliveries/{deliveryId}/redeliver' },
  { call: 'POST /v1/webhook-endpoints/{endpointId}/rotate-secret' },
  { call: 'POST /v1/webhook-endpoints/{endpointId}/disable' },
  { call: 'POST /v1/webhook-endpoints/{endpointId}/enable' },
  { call: 'DELETE /v1/webhook-endpoints/{endpointId}' },
  { call: 'POST /v1/webhook-listeners', body: {} },
  { call: 'POST /v1/notify-secret' },
  { call: 'GET /api/v1/directory', names: { platform: '0.platform', contentType: '0.contentType' } },
  { call: 'GET /api/v1/directory/{platform}/{contentType}' },
  { call: 'GET /api/v1/models' },
  { call: 'GET /api/v1/tools', names: { id: '0.id' } },
  { call: 'GET /api/v1/tools/{id}' },
  { call: 'GET /api/v1/changes' },
  { call: 'GET /api/v1/export', refused: 'plan_required' },
  { call: 'GET /api/v1/export/{file}/manifest', refused: 'plan_required' },
  { call: 'GET /api/v1/export/{file}', refused: 'plan_required' },
  { call: 'GET /api/v1/usage' },
  { call: 'GET /api/v1/usage/history', refused: 'plan_required' },
];

interface Documented {
  readonly page: string;
  readonly route: Route;
}

describe('The demonstration key', function () {
  this.timeout(180_000);
  let program: Program;
  let folder: TempFolder;
  let life: Life | undefined;
  let url: string;
  let key: string;
  let scopes: readonly string[];
  const texts = new Map<string, string>();
  const documented: Documented[] = [];
  const unknown: string[] = [];

  before(async () => {
    program = await buildProgram();
    folder = await tempFolder();
    const started = program.start({ DATA_DIR: folder.path, ...namesFrom(NOBODY) }, { isSeeded: true });
    life = started;
    url = await started.url;
    const shown = (): string | undefined => /^ {2}(brs_ak_\w+)$/m.exec(started.printed())?.[1];
    await until('the key is shown', () => shown() !== undefined, 60_000);
    key = shown() ?? '';
    await until('the key is known', async () => (await ask('GET', '/v1/key')).status === 200);
    const own = await ask('GET', '/v1/key');
    // As the description has it; any key has the last.
    scopes = [...(at(own.data, 'key.scopes') as readonly string[]), 'any_key'];
    await readPages();
  });
  after(async () => {
    await life?.kill();
    await folder.remove();
    await program.remove();
  });

  async function readPages(): Promise<void> {
    const names = (await readdir(join(projectRoot, 'docs'))).filter((name) => name.endsWith('.md'));
    for (const page of names.filter((name) => !NOT_FOLLOWED.includes(name))) {
      const text = await readFile(join(projectRoot, 'docs', page), 'utf8');
      texts.set(page, text);
      for (const [whole, method = '', address = ''] of text.matchAll(CALL)) {
        const route = routes.find((one) => one.method === method && isAt(one.path, address));
        if (route === undefined) unknown.push(`${page}: ${whole}`);
        else documented.push({ page, route });
      }
    }
  }

  async function ask(method: string, path: string, body?: object) {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await settled(() => fetch(url + path, { method, headers, ...sent }));
    const text = await answer.text();
    const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true;
    // As the description has it.
    const { data, error } = (isJson && text !== '' ? JSON.parse(text) : {}) as {
      data?: Record<string, unknown>;
      error?: { code: string } | null;
    };
    return { status: answer.status, data: data ?? {}, code: error?.code ?? null, text };
  }

  it('is told of no address that is not there', () => {
    expect(documented).to.have.lengthOf.above(40);
    expect(unknown).to.deep.equal([]);
  });

  it('may call all that the pages name, or they say whose scope it takes', () => {
    const silent = documented.flatMap(({ page, route: { method, path, operation } }) => {
      const { scope } = operation;
      const isSaid = scope === null || scopes.includes(scope) || texts.get(page)?.includes(`\`${scope}\``);
      return isSaid ? [] : [`${page}: ${method} ${path} takes ${scope}`];
    });
    expect(silent).to.deep.equal([]);
  });

  it('is followed through every call that it may make', async () => {
    const walked = new Set(WALK.map(({ call }) => call));
    const left = documented.filter(({ route }) => mayCall(route) && !walked.has(callOf(route)));
    expect(left.map(({ page, route }) => `${page}: ${callOf(route)}`)).to.deep.equal([]);

    const named: Record<string, string> = {};
    for (const { call, body, names = {}, refused = null } of WALK) {
      const [method = '', template = ''] = call.split(' ');
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? 'nothing');
      // A message that is on its way is on record once it was tried.
      if (call.endsWith('/deliveries'))
        await until('it was tried', async () => Object.keys((await ask(method, path)).data).length > 0);
      const { status, data, code, text } = await ask(method, path, body);
      expect([call, code], text).to.deep.equal([call, refused]);
      if (refused === null) expect(status, call).to.be.within(200, 299);
      for (const [name, place] of Object.entries(names)) named[name] = String(at(data, place));
    }
  });

  it('is refused what is not a buyer’s, by the name of the scope', async () => {
    for (const { route } of documented.filter(({ route: { operation } }) => operation.scope !== null)) {
      if (mayCall(route)) continue;
      const path = route.path.replaceAll(/\{\w+\}/g, 'x');
      const { code, text } = await ask(route.method, path, route.method === 'GET' ? undefined : {});
      expect([callOf(route), code], text).to.deep.equal([callOf(route), 'scope_missing']);
    }
  });

  const mayCall = ({ operation: { scope } }: Route): boolean => scope !== null && scopes.includes(scope);
});

const callOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Names in braces stand for any; what comes after a question mark is no part of an address. */
function isAt(path: string, address: string): boolean {
  const [mine, theirs] = [path.split('/'), (address.split('?')[0] ?? '').replace(/[.,;:]$/, '').split('/')];
  return (
    mine.length === theirs.length &&
    mine.every((part, index) => part === theirs[index] || (part.startsWith('{') && theirs[index] !== ''))
  );
}

/** What stands at `a.0.b`. */
function at(value: unknown, place: string): unknown {
  return place
    .split('.')
    .reduce<unknown>((here, name) => (here as Readonly<Record<string, unknown>> | undefined)?.[name], value);
}
