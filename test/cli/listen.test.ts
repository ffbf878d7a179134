/** `bourse listen` without its terminal: what an account is told is shown and passed on, whatever the instance does. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { Refused } from '../../src/cli/exit.ts';
import { follow } from '../../src/cli/follow-messages.ts';
import { whenJobChangedNotify } from '../../src/reactions/when-job-changed-notify.ts';
import { type Reactor, startReactor } from '../../src/background/reactor.ts';
import { startTaskRunner, type TaskRunner } from '../../src/background/task-runner.ts';
import { deliver } from '../../src/tasks/deliver.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { listenAnywhere } from '../support/ports.ts';
import { until } from '../support/until.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('bourse listen', () => {
  let api: JobApi;
  let reactor: Reactor;
  let tasks: TaskRunner;
  let receiver: Server;
  let forwardTo: string;
  let received: Received[] = [];
  let answers = 204;
  /** So far behind is the clock of the instance. */
  let agoMs = 0;
  const sentOut: string[] = [];

  before(async () => {
    api = await startJobApi({ services: { queue: createMemoryQueue() }, now: () => Date.now() - agoMs });
    const { services } = api;
    const onError = (): void => {};
    reactor = startReactor({
      events: services.events,
      checkpoints: memoryCheckpoints(),
      reactions: [whenJobChangedNotify(services)],
      isSkipped: async () => false,
      onError,
    });
    const fetcher = {
      async post({ url }: { readonly url: string }) {
        sentOut.push(url);
        return { kind: 'forbidden', error: 'nothing is to be sent' } as const;
      },
      close: async () => {},
    };
    tasks = startTaskRunner({
      queue: services.queue,
      kinds: [deliver(services, fetcher, 64)],
      now: Date.now,
      onError,
    });
    receiver = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        received.push({ headers: req.headers, body: Buffer.concat(chunks).toString() });
        res.writeHead(answers).end();
      });
    });
    forwardTo = `http://127.0.0.1:${await listenAnywhere(receiver)}/hooks`;
  });
  after(async () => {
    await tasks.stop();
    await reactor.stop();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    await api.close();
  });
  beforeEach(() => (received = []));

  function start(baseUrl = api.url, apiKey = api.buyer.key) {
    const stopping = new AbortController();
    const printed: string[] = [];
    const print = (line: string): void => void printed.push(line);
    const ended = follow({ baseUrl, apiKey, forwardTo, types: null, print, signal: stopping.signal });
    return { printed, ended, stop: () => stopping.abort() };
  }
  const listeners = async () =>
    (await api.get('/v1/webhook-endpoints', api.buyer)).body.data.filter(({ url }) => url === 'listen:');

  it('passes each message on, signed so that a receiver can verify it, and leaves nothing behind', async () => {
    const { printed, ended, stop } = start();
    await until('it listens', () => printed.length > 1);
    const jobId = await api.jobIn('cancelled');
    await until('both are passed on', () => received.length === 2);
    const secret = /whsec_\S+/.exec(printed[0] ?? '')?.[0] ?? '';
    const types = received.map(({ headers, body }) => {
      const told = new Webhook(secret).verify(body, {
        'webhook-id': String(headers['webhook-id']),
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      });
      expect(told).to.have.nested.property('data.id', jobId);
      return JSON.parse(body).type;
    });
    expect(types).to.have.members(['job.drafted', 'job.cancelled']);
    await until('it says so', () => printed.some((line) => line.endsWith(`job.cancelled  ${jobId}  -> 204`)));
    expect(await listeners()).to.have.length(1);
    stop();
    await ended;
    expect(await listeners()).to.have.length(0);
    expect(sentOut, 'nothing was sent by the instance').to.deep.equal([]);
  });

  it('says that a message failed which the address refuses, or sends elsewhere', async () => {
    const { printed, ended, stop } = start();
    await until('it listens', () => printed.length > 1);
    for (answers of [400, 302, 500]) {
      const jobId = await api.draft();
      const line = `${jobId}  -> failed: ${forwardTo} answers ${answers}`;
      await until('it says so', () => printed.some((one) => one.endsWith(line)));
    }
    answers = 204;
    stop();
    await ended;
  });

  it('goes on when the instance was away, and tells each message once', async () => {
    let isAway = false;
    const front = createServer((req, res) => {
      if (isAway) return void res.writeHead(503).end('{}');
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const body = req.method === 'GET' || req.method === 'DELETE' ? {} : { body: Buffer.concat(chunks) };
        const { authorization = '', 'content-type': contentType } = req.headers;
        const headers = {
          authorization,
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
        };
        fetch(`${api.url}${req.url}`, { method: req.method ?? 'GET', headers, ...body })
          .then(async (answer) => res.writeHead(answer.status).end(await answer.text()))
          .catch(() => res.destroy());
      });
    });
    const { printed, ended, stop } = start(`http://127.0.0.1:${await listenAnywhere(front)}`);
    await until('it listens', () => printed.length > 1);
    isAway = true;
    await api.draft();
    await until('it says so', () => printed.some((line) => line.includes('it answers 503; trying again')));
    expect(received).to.deep.equal([]);
    isAway = false;
    await until('it is passed on', () => received.length > 0, 30_000);
    await api.draft();
    await until('the next is too', () => received.length > 1, 30_000);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).to.have.property('size', 2);
    expect(received).to.have.length(2);
    stop();
    await ended;
    front.closeAllConnections();
    await new Promise((resolve) => front.close(resolve));
  });

  it('removes what its own kind left behind a day ago, and no other listener', async () => {
    const made = async (description: string, beforeMs: number): Promise<unknown> => {
      agoMs = beforeMs;
      const answer = await api.post('/v1/webhook-listeners', { description }, api.buyer);
      agoMs = 0;
      return answer.body.data['id'];
    };
    const days = 24 * 60 * 60 * 1_000;
    const others = [await made('our own', 2 * days), await made('bourse listen', 1_000)];
    const left = await made('bourse listen', 2 * days);
    await api.services.projector.caughtUp();
    const ids = async () => (await listeners()).map(({ id }) => id);
    expect(await ids()).to.include(left);
    const { ended, stop } = start();
    await until('it is removed', async () => !(await ids()).includes(left));
    stop();
    await ended;
    expect(await ids()).to.have.members(others);
    for (const id of others) await api.send('DELETE', `/v1/webhook-endpoints/${String(id)}`, api.buyer);
  });

  it('ends with a word when its listener was removed', async () => {
    const { printed, ended } = start();
    await until('it listens', () => printed.length > 1);
    const id = /whe_\w+/.exec(printed[0] ?? '')?.[0];
    await api.send('DELETE', `/v1/webhook-endpoints/${id}`, api.buyer);
    const outcome = await ended.then(
      () => null,
      (error: unknown) => error,
    );
    expect(outcome).to.be.instanceOf(Refused).with.property('message').that.includes(`${id} was removed`);
    expect(printed.join()).not.to.include('could not be removed');
  });

  it('ends at once with a key that may not', async () => {
    const reader = await api.newKey({ scopes: ['jobs:read'] });
    const outcome = await start(api.url, reader.key).ended.then(
      () => null,
      (error: unknown) => error,
    );
    expect(outcome).to.be.instanceOf(Refused).with.property('message').that.includes('webhooks:manage');
  });
});
