/** The real HTTP service for tests, and a client that holds every answer to its published description. */
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { openApiText } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/transport/route.ts';
import { routes as allRoutes } from '../../src/http/routes.ts';
import { createHttpServer, type HttpParts } from '../../src/serving/server.ts';
import { createLog } from '../../src/logging/log.ts';
import type { Scope } from '../../src/operations/operation.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import type { Detail } from '../../src/operations/refusals.ts';
import type { Services } from '../../src/operations/services.ts';
import type { MandateTerms } from '../../events/mandate-events.ts';
import { openMemoryMarket, type OwnEngines } from './memory-market.ts';
import { answerChecker, type CheckAnswer } from './published-answers.ts';
import { grant } from './sample-mandate.ts';

export interface TestApi {
  readonly url: string;
  readonly services: Services;
  /** Every line of log so far. */
  readonly logged: () => readonly Record<string, unknown>[];
  readonly send: (method: string, path: string, request?: TestRequest) => Promise<TestAnswer>;
  readonly get: (path: string, request?: TestRequest) => Promise<TestAnswer>;
  readonly post: (path: string, body?: unknown, request?: TestRequest) => Promise<TestAnswer>;
  /** A key of a new account (or of `account`), known to the service when this resolves. */
  readonly newKey: (wanted?: WantedKey) => Promise<TestKey>;
  readonly close: () => Promise<void>;
}

export interface TestRequest {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  /** Sent as it is. */
  readonly rawBody?: string | Uint8Array;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, as far as it is in the envelope; its shape has been checked. */
  readonly body: Envelope;
}

type Members = Readonly<Record<string, unknown>>;

/** Both a list and an object to the compiler: which of them it is, the description of the API has said. */
export interface Envelope {
  readonly data: Members & readonly Members[];
  readonly meta: Members;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly requestId: string;
    readonly reason?: string;
    readonly mandateState?: Members;
    readonly details?: readonly Detail[];
  };
}

export interface WantedKey {
  readonly account?: string;
  readonly scopes?: readonly Scope[];
  readonly agency?: string;
  readonly terms?: Partial<MandateTerms>;
  readonly expiresAt?: string;
}

export interface TestKey {
  readonly key: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly mandateId: string;
}

export interface ApiOptions extends Partial<Omit<HttpParts, 'services' | 'log'>> {
  readonly engines?: OwnEngines;
  /** In place of those of the market. */
  readonly services?: Partial<Services>;
  readonly routes?: readonly Route[];
}

export async function startApi(options: ApiOptions = {}): Promise<TestApi> {
  const { engines, services: replaced, routes = allRoutes, ...parts } = options;
  // Before anything is open: a description that cannot be made would leave it open for ever.
  const check = checkerOf(routes);
  const market = await openMemoryMarket(engines);
  const services = { ...market.services, ...replaced };
  const lines: string[] = [];
  const server = createHttpServer({
    services,
    limiter: createMemoryLimiter(60),
    publicRateLimit: 1_000_000,
    trustProxyHops: 0,
    accountBounds: { requestsPerMinute: 1_000_000, trialsPerDay: 1_000_000, bytesPerDay: 1_000_000_000 },
    addressBounds: { failedCredentials: 1_000_000, posts: 1_000_000 },
    connectionBounds: { inAll: 10_000, perAddress: 10_000 },
    isMonitor: () => true,
    log: createLog('info', { write: (line) => void lines.push(line) }),
    routes,
    ...parts,
  });
  const url = `http://127.0.0.1:${await server.listen(0)}`;
  const send = createClient(url, check);
  return {
    url,
    services,
    logged: () => lines.map((line) => JSON.parse(line)),
    send,
    get: (path, request) => send('GET', path, request),
    post: (path, body, request = {}) =>
      send('POST', path, body === undefined ? request : { ...request, ...jsonBody(body, request) }),
    newKey: (wanted) => newKey(services, wanted),
    async close() {
      await server.stop();
      await market.close();
    },
  };
}

const checkers = new WeakMap<readonly Route[], CheckAnswer>();

/** Made once for each table of routes. */
function checkerOf(routes: readonly Route[]): CheckAnswer {
  const check = checkers.get(routes) ?? answerChecker(openApiText(routes));
  checkers.set(routes, check);
  return check;
}

function createClient(url: string, check: CheckAnswer): TestApi['send'] {
  return async (method, path, { key, headers = {}, rawBody } = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), ...headers },
      ...(rawBody === undefined ? {} : { body: rawBody }),
    });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
    const answer = { status: response.status, headers: response.headers, text };
    // The description does not describe itself.
    if (!/\/openapi(?:\.data)?\.json$/.test(path)) check(method, path.split('?')[0] ?? '', answer);
    return { ...answer, body: isJson && text !== '' ? JSON.parse(text) : null };
  };
}

function jsonBody(body: unknown, { headers }: TestRequest): TestRequest {
  return { rawBody: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
}

let accounts = 0;

async function newKey(services: Services, wanted: WantedKey = {}): Promise<TestKey> {
  const {
    account = `account-${(accounts += 1)}`,
    scopes = ['trials:create', 'jobs:read'],
    agency = null,
    expiresAt = null,
  } = wanted;
  const { terms } = grant(wanted.terms);
  const cause = { at: new Date().toISOString(), actor: 'cli', requestId: 'test' } as const;
  const made = await createKey(
    services,
    { account, name: 'Test key', scopes, agency, terms, expiresAt },
    cause,
  );
  if (!made.ok) throw new Error(made.refusal.message);
  await services.projector.caughtUp();
  return made.created;
}
