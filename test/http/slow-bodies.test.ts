/** A request is of the moment at which it was whole: a body that comes slowly outlives no key, scope, mandate or link. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { decodeEvent, exampleOf } from '../../events/catalog.ts';
import { keyDecider } from '../../commands/key/key.ts';
import { freezeAccount } from '../../src/operations/accounts/freeze-account.ts';
import { freezeKey } from '../../src/operations/keys/freeze-key.ts';
import { revokeKey } from '../../src/operations/keys/revoke-key.ts';
import { rotateKey } from '../../src/operations/keys/rotate-key.ts';
import type { Scope } from '../../src/operations/operation.ts';
import type { TestKey, WantedKey } from '../support/api.ts';
import { AGENT, type JobApi, now, startJobApi } from '../support/job-flows.ts';
import { sendSlowly, type SlowAnswer, type SlowRequest } from '../support/slow-request.ts';

const HOUR_MS = 60 * 60 * 1_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const JSON_BODY = { 'Content-Type': 'application/json' };
const trial = { agent: AGENT, brief: 'Match the invoices.' };

const FREEZE = { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' } as const;

describe('A body that comes slowly', () => {
  let api: JobApi;
  let aheadMs = 0;
  let accounts = 0;
  before(async () => (api = await startJobApi({ now: () => Date.now() + aheadMs })));
  after(() => api.close());
  beforeEach(() => (aheadMs = 0));
  afterEach(() => (aheadMs = 0));

  const cause = () => ({ at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() });
  const account = (): string => `slow-${(accounts += 1)}`;
  const post = (path: string, body: object) => ({
    method: 'POST',
    path,
    headers: JSON_BODY,
    body: JSON.stringify(body),
  });

  interface Asked {
    readonly scope: Scope;
    readonly agency?: string;
    readonly request: (key: TestKey) => Promise<SlowRequest> | SlowRequest;
    /** Where it is done. */
    readonly status: number;
  }
  const asked: Readonly<Record<string, Asked>> = {
    'a trial': { scope: 'trials:create', status: 201, request: () => post('/v1/trials', trial) },
    'a rotation of its own key': {
      scope: 'keys:manage',
      status: 200,
      request: ({ keyId }) => post(`/v1/keys/${keyId}/rotate`, { overlapSeconds: 3_600 }),
    },
    'a webhook endpoint': {
      scope: 'webhooks:manage',
      status: 201,
      request: () => post('/v1/webhook-endpoints', { url: 'https://thief.example/hooks' }),
    },
    'a new key': {
      scope: 'keys:manage',
      status: 201,
      request: () =>
        post('/v1/keys', { name: 'Another', scopes: ['mandate:read'], expiresAt: inMs(0.9 * HOUR_MS) }),
    },
    'a tool over MCP': {
      scope: 'trials:create',
      status: 200,
      request: () => ({
        ...post('/mcp', {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'create_trial_run', arguments: { ...trial, idempotencyKey: randomUUID() } },
        }),
        headers: { ...JSON_BODY, Accept: 'application/json, text/event-stream' },
      }),
    },
    'a file': {
      scope: 'provider:fulfil',
      agency: exampleOf('AgentPublished').listing.agency.slug,
      status: 200,
      request: async () => ({
        method: 'PUT',
        path: `/v1/provider/jobs/${await api.jobIn('running')}/artifacts/a.txt`,
        headers: {},
        body: 'what was found',
      }),
    },
    'an import': {
      scope: 'operator:write',
      status: 200,
      request: () => ({
        method: 'POST',
        path: `/v1/operator/imports?dataset=directory/${account()}/things`,
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: '{"id":"row-1","name":"One"}\n{"id":"row-2","name":"Two"}\n',
      }),
    },
    'an import of a JSON array': {
      scope: 'operator:write',
      status: 200,
      request: () => ({
        method: 'POST',
        path: `/v1/operator/imports?dataset=directory/${account()}/things`,
        headers: { 'Content-Type': 'application/json' },
        // Its end is there with the first half.
        body: `[{"id":"row-1","name":"One"}]${' '.repeat(100)}`,
      }),
    },
  };

  interface End {
    readonly come: (key: TestKey) => Promise<unknown>;
    readonly status: number;
    readonly code: string;
  }
  const ends: Readonly<Record<string, End>> = {
    'was frozen': {
      come: ({ keyId }) => freezeKey(api.services, keyId, FREEZE, cause()),
      status: 403,
      code: 'forbidden',
    },
    'is of an account that was frozen': {
      come: ({ accountId }) =>
        freezeAccount(api.services, accountId, { type: 'FreezeAccount', reason: 'odd calls' }, cause()),
      status: 403,
      code: 'forbidden',
    },
    'was revoked': {
      come: ({ keyId }) => revokeKey(api.services, keyId, 'lost', cause()),
      status: 401,
      code: 'api_key_invalid',
    },
    'was rotated': {
      come: ({ keyId }) => rotateKey(api.services, keyId, cause()),
      status: 401,
      code: 'api_key_invalid',
    },
    'came to its end': {
      come: async () => (aheadMs = 2 * HOUR_MS),
      status: 401,
      code: 'api_key_invalid',
    },
    'lost its scope': {
      come: ({ keyId }) => {
        const scopes: Scope[] = ['jobs:cancel'];
        const amend = { type: 'AmendApiKey', changes: { scopes } } as const;
        return api.services.commands.run(keyDecider, keyId, amend, cause());
      },
      status: 403,
      code: 'scope_missing',
    },
  };

  const newKey = (scopes: readonly Scope[], more: WantedKey = {}): Promise<TestKey> =>
    api.newKey({
      account: account(),
      scopes,
      expiresAt: inMs(HOUR_MS),
      ...more,
    });
  const keyFor = ({ scope, agency }: Asked): Promise<TestKey> =>
    newKey([scope, 'mandate:read'], agency === undefined ? {} : { agency });
  /** Every view knows of what happened when it is sent on. */
  const slowly = (request: SlowRequest, meanwhile: () => Promise<unknown>): Promise<SlowAnswer> =>
    sendSlowly(api.url, request, async () => {
      await meanwhile();
      await api.services.projector.caughtUp();
    });
  /** When the events after this one happened. */
  async function timesAfter(after: string | null): Promise<readonly number[]> {
    const { signal } = new AbortController();
    for await (const { events } of api.services.events.subscribe({ after, signal }))
      return events.map((event) => Date.parse(decodeEvent(event).at));
    return [];
  }
  const head = () => api.services.events.head();

  for (const [what, one] of Object.entries(asked)) {
    it(`for ${what} is taken from a key that is still good, at the time of its last byte`, async () => {
      const key = await keyFor(one);
      const request = { ...(await one.request(key)), key: key.key };
      const before = await head();
      const answer = await slowly(request, async () => (aheadMs = HOUR_MS / 2));
      expect(answer.status, answer.text).to.equal(one.status);
      expect(answer.text).not.to.include('"isError":true');
      const times = await timesAfter(before);
      expect(times).to.not.be.empty;
      expect(Math.min(...times), 'of the last byte').to.be.above(Date.now() + HOUR_MS / 4);
    });

    for (const [how, end] of Object.entries(ends))
      it(`for ${what} does nothing for a key that ${how} meanwhile`, async () => {
        const key = await keyFor(one);
        const request = { ...(await one.request(key)), key: key.key };
        let before: string | null = null;
        const answer = await slowly(request, async () => {
          await end.come(key);
          before = await head();
        });
        // A tool's no is a result, unless its key is no good.
        const status = what.includes('MCP') && end.code === 'scope_missing' ? 200 : end.status;
        expect(answer.status, answer.text).to.equal(status);
        expect(answer.text).to.include(end.code);
        expect(await head()).to.equal(before);
      });
  }

  it('spends nothing under a mandate that ended meanwhile', async () => {
    const key = await newKey(['trials:create'], {
      expiresAt: inMs(100 * HOUR_MS),
      terms: { expiresAt: inMs(HOUR_MS) },
    });
    const request = { ...post('/v1/trials', trial), key: key.key };
    const answer = await slowly(request, async () => (aheadMs = 2 * HOUR_MS));
    expect(answer.status, answer.text).to.equal(403);
    expect(answer.text).to.include('"reason":"mandate_expired"');
  });

  it('is not of a time before that of its head, though the clock was set back', async () => {
    const key = await newKey(['trials:create', 'jobs:read'], { expiresAt: inMs(-HOUR_MS) });
    aheadMs = -2 * HOUR_MS;
    const request = { ...post('/v1/trials', trial), key: key.key };
    const began = Date.now() + aheadMs;
    const answer = await slowly(request, async () => (aheadMs = -3 * HOUR_MS));
    expect(answer.status, answer.text).to.equal(201);
    expect(Date.parse(JSON.parse(answer.text).data.createdAt)).to.be.at.least(began);
  });

  it('counts once, and its line of the log says whose key it was', async () => {
    const key = await newKey(['trials:create']);
    const left = (answer: SlowAnswer): number =>
      Number(/"account";r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1]);
    const request = { ...post('/v1/trials', trial), key: key.key };
    const [first, second] = [await slowly(request, async () => {}), await slowly(request, async () => {})];
    expect(left(first) - left(second)).to.equal(1);
    const refused = await slowly(request, async () => ends['was revoked']?.come(key));
    const { requestId } = JSON.parse(refused.text).error;
    const line = api.logged().find((logged) => logged['requestId'] === requestId);
    expect(line).to.include({ status: 401, code: 'api_key_invalid', keyId: key.keyId });
  });

  const links: Readonly<Record<string, (key: TestKey) => Promise<unknown>>> = {
    'was withdrawn with its maker': async (key) => ends['was revoked']?.come(key),
    'came to its end': async () => (aheadMs = 48 * HOUR_MS),
  };
  for (const [how, come] of Object.entries(links))
    for (const action of ['pay', 'cancel'])
      it(`does nothing by a link to ${action} that ${how} meanwhile`, async () => {
        const key = await newKey(['trials:create', 'jobs:read', 'jobs:cancel'], {
          expiresAt: inMs(100 * HOUR_MS),
        });
        const jobId = await api.draft(key);
        const { fundingUrl } = (await api.get(`/v1/jobs/${jobId}`, key)).body.data;
        const request = {
          method: 'POST',
          path: `/checkout/${jobId}/${action}`,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URL(String(fundingUrl)).search.slice(1),
        };
        let before: string | null = null;
        await slowly(request, async () => {
          await come(key);
          before = await head();
        });
        expect(await head()).to.equal(before);
      });
});
