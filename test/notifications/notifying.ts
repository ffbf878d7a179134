/** Notifications from their events to a receiver of the test, with a clock for the queue that goes on when told. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { NotificationType } from '../../events/webhook-events.ts';
import { createFetcher } from '../../infra/undici/fetcher.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import { whenJobChangedNotify } from '../../src/reactions/when-job-changed-notify.ts';
import { type Reactor, startReactor } from '../../src/background/reactor.ts';
import { startTaskRunner, type TaskRunner } from '../../src/background/task-runner.ts';
import { deliver } from '../../src/tasks/deliver.ts';
import { addEndpoint } from '../../src/operations/webhooks/change-endpoint.ts';
import type { TestKey } from '../support/api.ts';
import { type JobApi, now as timestamp, startJobApi } from '../support/job-flows.ts';
import { listenAnywhere } from '../support/ports.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a test turns, and what came. */
export interface World {
  /** Since the test began. */
  received: Received[];
  /** The status by which a path is answered. */
  answer: (path: string) => number;
  /** How far the clock of the queue is ahead. */
  clockMs: number;
  /** What the API takes for now, where requests must come at one moment. */
  askedAtMs: number | null;
}

/** Registers the hooks that start and stop it. */
export function notifying() {
  const world: World = { received: [], answer: () => 204, clockMs: 0, askedAtMs: null };
  let api: JobApi;
  let sink: Server;
  let base: string;
  let fetcher: Fetcher;
  let reactor: Reactor;
  let tasks: TaskRunner;

  before(async () => {
    // One clock for the queue and for those who work on it.
    const now = (): number => Date.now() + world.clockMs;
    api = await startJobApi({
      services: { queue: createMemoryQueue(now) },
      now: () => world.askedAtMs ?? Date.now(),
    });
    sink = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const path = req.url ?? '';
        world.received.push({ path, headers: req.headers, body: Buffer.concat(chunks).toString() });
        res.writeHead(world.answer(path)).end();
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
    world.received = [];
    world.answer = () => 204;
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
  const to = (path: string) => world.received.filter((one) => one.path === path);
  const deliveriesOf = async (id: string) =>
    api.services.deliveries.list({ accountId: api.buyer.accountId, endpointId: id, limit: 100 });
  const stop = (id: string) => api.send('DELETE', `/v1/webhook-endpoints/${id}`, api.buyer);
  const verified = (secret: string, { body, headers }: Received) =>
    new Webhook(secret).verify(body, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    });

  return {
    world,
    /** To be asked for in tests, once it has started. */
    api: (): JobApi => api,
    /** Where the receiver listens. */
    base: (): string => base,
    listen,
    until,
    to,
    deliveriesOf,
    stop,
    verified,
  };
}
