import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { jobDecider } from '../../commands/job/job.ts';
import { z } from 'zod';
import type { NotificationType } from '../../events/webhook-events.ts';
import { createFetcher } from '../../infra/undici/fetcher.ts';
import { createMemoryQueue } from '../../infra/memory/queue.ts';
import { memoryCheckpoints } from '../../infra/memory/checkpoints.ts';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import { whenJobChangedNotify } from '../../src/reactions/when-job-changed-notify.ts';
import { type Reactor, startReactor } from '../../src/background/reactor.ts';
import { startTaskRunner, type TaskRunner } from '../../src/background/task-runner.ts';
import { deliver } from '../../src/tasks/deliver.ts';
import { freezeAccount } from '../../src/operations/accounts/freeze-account.ts';
import { amendEndpoint } from '../../src/operations/webhooks/amend-endpoint.ts';
import { addEndpoint } from '../../src/operations/webhooks/change-endpoint.ts';
import type { TestKey } from '../support/api.ts';
import { AGENT, type JobApi, now as timestamp, startJobApi } from '../support/job-flows.ts';
import { readAll } from '../support/event-log.ts';
import { listenAnywhere } from '../support/ports.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const messageSchema = z.object({
  type: z.string(),
  data: z.looseObject({ percent: z.number().optional() }),
});
const DAY_MS = 24 * 60 * 60 * 1_000;
const NEVER_REACHED = [
  'http://buyer.example/',
  'nothing',
  'ftp://x.example/',
  'wss://buyer.example/',
  'https://me:secret@buyer.example/',
  'https://me@buyer.example/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://10.0.0.7:8443/hooks',
  'https://169.254.169.254/latest',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[fd00::1]/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://erp.localhost/',
  'https://erp.local/',
  'https://erp.internal/',
  'https://buyer.example:6379/',
];

describe('Notifications', () => {
  let api: JobApi;
  let sink: Server;
  let base: string;
  let fetcher: Fetcher;
  let reactor: Reactor;
  let tasks: TaskRunner;
  let received: Received[] = [];
  let answer: (path: string) => number = () => 204;
  let clockMs = 0;
  /** What the API takes for now, where requests must come at one moment. */
  let askedAtMs: number | null = null;

  before(async () => {
    // One clock for the queue and for those who work on it.
    const now = (): number => Date.now() + clockMs;
    api = await startJobApi({
      services: { queue: createMemoryQueue(now) },
      now: () => askedAtMs ?? Date.now(),
    });
    sink = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const path = req.url ?? '';
        received.push({ path, headers: req.headers, body: Buffer.concat(chunks).toString() });
        res.writeHead(answer(path)).end();
      });
    });
    base = `http://127.0.0.1:${await listenAnywhere(sink)}`;
    fetcher = createFetcher({ isAllowed: () => true, protocols: ['http:'] });
    const { services } = api;
    reactor = startReactor({
      events: services.events,
      checkpoints: memoryCheckpoints(),
      reactions: [whenJobChangedNotify(services)],
      isSkipped: async () => false,
      onError: () => {},
    });
    tasks = startTaskRunner({
      queue: services.queue,
      kinds: [deliver(services, fetcher, 64)],
      now,
      onError: () => {},
    });
  });
  after(async () => {
    await tasks.stop();
    await reactor.stop();
    await fetcher.close();
    await new Promise((resolve) => sink.close(resolve));
    await api.close();
  });
  beforeEach(() => {
    received = [];
    answer = () => 204;
  });

  let endpoints = 0;
  async function listen(key: TestKey = api.buyer, types: readonly NotificationType[] | null = null) {
    const path = `/hook-${(endpoints += 1)}`;
    const call = { at: timestamp(), actor: 'cli', requestId: 'test', commandId: path };
    const wanted = { url: base + path, types, description: '' };
    const added = await addEndpoint(api.services, key.accountId, wanted, call);
    if (!added.ok) throw new Error(added.refusal.message);
    await api.services.projector.caughtUp();
    return { path, id: added.endpoint.endpointId, secret: added.secret };
  }
  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const to = (path: string) => received.filter((one) => one.path === path);
  const deliveriesOf = async (id: string) =>
    api.services.deliveries.list({ accountId: api.buyer.accountId, endpointId: id, limit: 100 });
  const stop = (id: string) => api.send('DELETE', `/v1/webhook-endpoints/${id}`, api.buyer);
  const verified = (secret: string, { body, headers }: Received) =>
    new Webhook(secret).verify(body, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    });

  it('are not sent while the account is frozen, and come once it is not any more', async () => {
    const key = await api.newKey({ account: 'to-be-frozen', scopes: ['trials:create'] });
    const { path, id } = await listen(key);
    const call = (commandId: string) => ({ at: timestamp(), actor: 'cli', requestId: 'test', commandId });
    const freeze = { type: 'FreezeAccount', reason: 'odd calls' } as const;
    const freezing = (command: Parameters<typeof freezeAccount>[2], name: string) =>
      freezeAccount(api.services, 'to-be-frozen', command, call(name));
    const jobId = await api.draft(key);
    await until(() => to(path).length === 1);
    await freezing(freeze, 'freeze');
    await api.services.commands.run(jobDecider, jobId, { type: 'CancelJob' }, call('cancel'));
    const errors = async () => {
      const of = { accountId: key.accountId, endpointId: id, limit: 10 };
      return (await api.services.deliveries.list(of)).map(({ lastError, state }) => [lastError, state]);
    };
    await until(async () => (await errors()).some(([error]) => error === 'account frozen'));
    expect(await errors()).to.deep.include(['account frozen', 'pending']);
    expect(to(path)).to.have.lengthOf(1);

    await freezing({ type: 'UnfreezeAccount' }, 'unfreeze');
    clockMs += 60_000;
    await until(() => to(path).length === 2);
    await until(async () => (await errors()).every(([error]) => error === null));
  });

  it('tell once a month that a mandate comes to 80 and to 100 % of its cap, and a denial, once for a flood', async () => {
    const { data } = (await api.get(`/v1/agents/${AGENT}`)).body;
    const price = z.object({ trialPriceCents: z.number() }).parse(data['pricing']).trialPriceCents;
    const terms = { maxMonthlyCents: 2 * price, maxPerTransactionCents: price };
    const scopes = ['trials:create', 'jobs:read', 'jobs:cancel'] as const;
    const key = await api.newKey({ account: 'alerted', scopes, terms });
    const { path } = await listen(key, ['mandate.denied', 'mandate.threshold']);
    const last = await api.draft(key).then(() => api.draft(key));
    // Given back and spent again: it comes to 100 % a second time.
    await api.post(`/v1/jobs/${last}/cancel`, {}, key);
    await until(async () => (await api.get('/v1/key', key)).text.includes(`"spentThisPeriodCents":${price}`));
    await api.draft(key);
    for (let n = 0; n < 3; n += 1) await api.post('/v1/trials', { agent: AGENT, brief: 'Too much.' }, key);
    const denials = async () => (await readAll(api.services.events, `denials-${key.mandateId}`)).length;
    await until(async () => (await denials()) === 3 && to(path).length >= 3);
    // Messages come in the order of the log: one to another address ends what was on its way.
    const after = await listen(key, ['job.cancelled']);
    await api.post(`/v1/jobs/${last}/cancel`, {}, key);
    const { id } = (await api.get('/v1/jobs?status=draft&limit=1', key)).body.data[0] ?? {};
    await api.post(`/v1/jobs/${String(id)}/cancel`, {}, key);
    await until(() => to(after.path).length === 1);
    const told = to(path).map(({ body }) => messageSchema.parse(JSON.parse(body)));
    expect(told.map(({ type, data: { percent } }) => [type, percent])).to.have.deep.members([
      ['mandate.threshold', 80],
      ['mandate.threshold', 100],
      ['mandate.denied', undefined],
    ]);
    const denial = told.find(({ type }) => type === 'mandate.denied');
    expect(denial?.data).to.deep.include({ keyId: key.keyId, reasons: ['monthly_cap'], amountCents: price });
  });

  it('tell each change of a job, signed so that the standard’s own library believes it', async () => {
    const { path, id, secret } = await listen();
    const jobId = await api.jobIn('completed');
    await until(() => to(path).length === 4);
    const messages = to(path).map((one) => verified(secret, one) as { type: string; data: { id: string } });
    expect(messages.map(({ type }) => type)).to.have.members([
      'job.drafted',
      'job.funded',
      'job.started',
      'job.completed',
    ]);
    expect(messages.every(({ data }) => data.id === jobId)).to.equal(true);
    const ids = new Set(to(path).map(({ headers }) => headers['webhook-id']));
    expect(ids.size).to.equal(4);
    expect(received.map(({ body }) => body).join('')).not.to.match(/checkout|record-created/);
    const listed = await api.get(`/v1/webhook-endpoints/${id}/deliveries?limit=3`, api.buyer);
    expect(listed.body.data).to.have.lengthOf(3);
    expect(listed.body.meta).to.include({ limit: 3, total: 4 });
    await stop(id);
  });

  it('tell only what was asked for, and nothing to other accounts', async () => {
    const stranger = await api.newKey({ scopes: ['trials:create', 'webhooks:manage'] });
    const [mine, theirs] = [await listen(api.buyer, ['job.cancelled']), await listen(stranger)];
    await api.jobIn('cancelled');
    await until(() => to(mine.path).length === 1);
    expect(to(mine.path)[0]?.body).to.include('job.cancelled');
    expect(to(theirs.path)).to.deep.equal([]);
    for (const [method, path] of [
      ['GET', `/v1/webhook-endpoints/${mine.id}/deliveries`],
      ['DELETE', `/v1/webhook-endpoints/${mine.id}`],
      ['GET', `/v1/webhook-endpoints/${mine.id}`],
      ['PATCH', `/v1/webhook-endpoints/${mine.id}`],
      ['POST', `/v1/webhook-endpoints/${mine.id}/test`],
      ['POST', `/v1/webhook-endpoints/${mine.id}/rotate-secret`],
      ['POST', `/v1/webhook-deliveries/${(await deliveriesOf(mine.id))[0]!.id}/redeliver`],
      ['GET', `/v1/webhook-endpoints/${api.buyer.accountId}/deliveries`],
    ] as const) {
      const body =
        method === 'POST' || method === 'PATCH'
          ? { rawBody: '{}', headers: { 'Content-Type': 'application/json' } }
          : {};
      const got = await api.send(method, path, { ...stranger, ...body });
      expect(got.status, path).to.equal(404);
    }
    await stop(mine.id);
  });

  it('go to the notifyUrl of the job, under the secret of the account', async () => {
    const issued = await api.post('/v1/notify-secret', {}, api.buyer);
    await api.services.projector.caughtUp();
    const notifyUrl = `https://${'x'.repeat(8)}.example/notify`;
    const jobId = await api.draft(api.buyer, { notifyUrl });
    const mine = async () => (await deliveriesOf(api.buyer.accountId)).find((one) => one.jobId === jobId);
    await until(async () => (await mine()) !== undefined);
    expect(await mine()).to.include({ url: notifyUrl, type: 'job.drafted' });
    expect(String(issued.body.data['secret'])).to.match(/^whsec_/);
  });

  it('are tried again until taken, and each try is on record', async () => {
    const { path, id } = await listen(api.buyer, ['job.cancelled']);
    answer = () => 500;
    await api.jobIn('cancelled');
    await until(async () => (await deliveriesOf(id))[0]?.attempts === 1);
    expect((await deliveriesOf(id))[0]).to.include({
      state: 'pending',
      lastStatus: 500,
      lastError: 'HTTP 500',
    });
    answer = () => 204;
    clockMs += 60_000;
    await until(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    expect(to(path)).to.have.length(2);
    expect(new Set(to(path).map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    await stop(id);
  });

  it('are given up after a day, and sent once more when asked', async () => {
    const { path, id } = await listen(api.buyer, ['job.cancelled']);
    answer = () => 500;
    await api.jobIn('cancelled');
    for (let tries = 1; (await deliveriesOf(id))[0]?.state !== 'failed'; tries += 1) {
      await until(async () => ((await deliveriesOf(id))[0]?.attempts ?? 0) >= tries);
      clockMs += 3 * 60 * 60 * 1_000;
    }
    const [failed] = await deliveriesOf(id);
    expect(failed?.attempts).to.be.within(5, 20);
    answer = () => 204;
    const again = await api.post(`/v1/webhook-deliveries/${failed!.id}/redeliver`, {}, api.buyer);
    expect(again.status).to.equal(202);
    await until(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    expect(to(path).at(-1)?.headers['webhook-id']).to.equal(failed!.id);
    await stop(id);
  });

  it('end at an address that is gone, and its owner is told elsewhere', async () => {
    const elsewhere = await listen();
    const { path, id } = await listen(api.buyer, ['job.cancelled']);
    answer = (asked) => (asked === path ? 410 : 204);
    await api.jobIn('cancelled');
    await until(() => to(elsewhere.path).some(({ body }) => body.includes('webhook_endpoint.disabled')));
    const listed = await api.get('/v1/webhook-endpoints?limit=100', api.buyer);
    const shown = [...listed.body.data].find((one) => one['id'] === id);
    expect(shown).to.include({ status: 'disabled', disabledReason: 'gone' });
    await stop(id);
    await stop(elsewhere.id);
  });

  it('end at an address that took nothing for a week', async () => {
    const { id } = await listen(api.buyer, ['job.cancelled']);
    answer = () => 500;
    await api.jobIn('cancelled');
    await until(async () => (await deliveriesOf(id))[0]?.attempts === 1);
    clockMs += 8 * DAY_MS;
    await api.jobIn('cancelled');
    await until(async () => {
      const listed = await api.get('/v1/webhook-endpoints?limit=100', api.buyer);
      return [...listed.body.data].some((one) => one['id'] === id && one['disabledReason'] === 'failing');
    });
    await stop(id);
  });

  it('are signed with every secret that was replaced within the last day', async () => {
    const { path, id, secret } = await listen(api.buyer, ['job.cancelled']);
    clockMs = 0;
    const rotated = await api.post(`/v1/webhook-endpoints/${id}/rotate-secret`, {}, api.buyer);
    const second = String(rotated.body.data['secret']);
    const third = await api.post(`/v1/webhook-endpoints/${id}/rotate-secret`, {}, api.buyer);
    const all = [secret, second, String(third.body.data['secret'])];
    expect(new Set(all)).to.have.property('size', 3);
    await api.services.projector.caughtUp();
    await api.jobIn('cancelled');
    await until(() => to(path).length === 1);
    for (const one of all) verified(one, to(path)[0]!);
    clockMs = 2 * DAY_MS;
    await api.jobIn('cancelled');
    await until(() => to(path).length === 2);
    expect(String(to(path)[1]!.headers['webhook-signature']).split(' ')).to.have.length(1);
    await stop(id);
  });

  it('go to the new address of a changed endpoint, also those under way, under the secret that it has', async () => {
    clockMs = 0;
    const { path, id, secret } = await listen(api.buyer, ['job.cancelled']);
    answer = (asked) => (asked === path ? 500 : 204);
    await api.jobIn('cancelled');
    await until(async () => (await deliveriesOf(id))[0]?.attempts === 1);
    const changed = await api.send('PATCH', `/v1/webhook-endpoints/${id}`, {
      ...api.buyer,
      rawBody: JSON.stringify({ types: ['*'], description: 'moved' }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(changed.body.data).to.include({ id, types: null, description: 'moved', status: 'enabled' });
    // Addresses of this machine are refused at the door.
    const moved = `${base}${path}-moved`;
    const call = { at: timestamp(), actor: 'cli', requestId: 'test', commandId: moved };
    const { ok } = await amendEndpoint(api.services, api.buyer.accountId, id, { url: moved }, call);
    expect(ok).to.equal(true);
    expect((await api.get(`/v1/webhook-endpoints/${id}`, api.buyer)).body.data).to.include({
      url: moved,
      description: 'moved',
    });
    await api.services.projector.caughtUp();
    clockMs += 60_000;
    await until(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    verified(secret, to(`${path}-moved`)[0]!);
    await api.jobIn('draft');
    await until(() => to(`${path}-moved`).some(({ body }) => body.includes('job.drafted')));
    await stop(id);
  });

  it('are sent to test an endpoint, once for each Idempotency-Key, whatever it wants to be told of', async () => {
    clockMs = 0;
    askedAtMs = Date.now();
    const { path, id, secret } = await listen(api.buyer, ['job.cancelled']);
    const test = (key: string) =>
      api.post(`/v1/webhook-endpoints/${id}/test`, {}, { ...api.buyer, headers: { 'Idempotency-Key': key } });
    const [first, again, second] = [await test('one'), await test('one'), await test('two')];
    expect([first.status, again.status, second.status]).to.deep.equal([202, 202, 429]);
    expect(second.body.error.message).to.equal('an endpoint is sent one test in 5 s');
    expect(Number(second.headers.get('Retry-After'))).to.be.within(1, 5);
    askedAtMs = null;
    expect(again.body.data['id']).to.equal(first.body.data['id']);
    await until(() => to(path).length === 1);
    const message = verified(secret, to(path)[0]!);
    expect(message).to.deep.include({ type: 'webhook_endpoint.test', data: { endpointId: id } });
    await until(async () => (await deliveriesOf(id)).every(({ state }) => state === 'delivered'));
    await api.post(`/v1/webhook-endpoints/${id}/disable`, {}, api.buyer);
    const refused = await test('three');
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'conflict']);
    await stop(id);
    expect((await test('four')).status).to.equal(404);
    expect(to(path)).to.have.length(1);
  });

  it('go to one endpoint however often its making is tried again under one key', async () => {
    const key = await api.newKey({ scopes: ['webhooks:manage'] });
    const make = (url: string) =>
      api.post('/v1/webhook-endpoints', { url }, { ...key, headers: { 'Idempotency-Key': 'once' } });
    const made = await Promise.all(Array.from({ length: 5 }, () => make('https://buyer.example/h')));
    made.push(await make('https://buyer.example/h'));
    expect(new Set(made.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(new Set(made.map(({ body }) => body.data['id'])).size).to.equal(1);
    expect(new Set(made.map(({ body }) => body.data['secret'])).size).to.equal(1);
    expect(made.at(-1)?.headers.get('Idempotent-Replayed')).to.equal('true');
    expect((await make('https://other.example/')).status).to.equal(422);
  });

  it('keep an address as it is read, without what a terminal obeys', async () => {
    const key = await api.newKey({ scopes: ['webhooks:manage'] });
    const url = 'https://buyer.example/a\tb\u202ec\u0007/d';
    const { body } = await api.post('/v1/webhook-endpoints', { url }, key);
    expect(body.data['url']).to.equal('https://buyer.example/ab%E2%80%AEc%07/d');
  });

  it('take public https addresses alone, and at most twenty', async () => {
    const key = await api.newKey({ scopes: ['webhooks:manage'] });
    for (const url of NEVER_REACHED) {
      const { status, body } = await api.post('/v1/webhook-endpoints', { url }, key);
      expect([status, body.error.details?.[0]?.path], url).to.deep.equal([400, 'url']);
      const trial = { agent: AGENT, brief: 'Do it.', notifyUrl: url };
      const refused = await api.post('/v1/trials', trial, api.buyer);
      expect([refused.status, refused.body.error.details?.[0]?.path], url).to.deep.equal([400, 'notifyUrl']);
    }
    for (let i = 0; i < 20; i += 1) {
      expect(
        (await api.post('/v1/webhook-endpoints', { url: `https://buyer.example/${i}` }, key)).status,
      ).to.equal(201);
      await api.services.projector.caughtUp();
    }
    expect((await api.post('/v1/webhook-endpoints', { url: 'https://buyer.example/' }, key)).status).to.equal(
      409,
    );
  });
});
