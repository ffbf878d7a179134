/**
 * `npx tsx test/bench/deliveries.main.ts [seconds]`: webhook deliveries at a fixed rate to a sink in a process of its own,
 * and the latency of GET /v1/agents/{slug} with and without them. Both are asked for at a fixed rate from a third
 * process, so that latencies are those of a service that is not saturated.
 */
import { exampleOf } from '../../events/catalog.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { createFetcher } from '../../infra/undici/fetcher.ts';
import { openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createHttpServer } from '../../src/serving/server.ts';
import { createLog } from '../../src/logging/log.ts';
import { postLater } from '../../src/operations/notifications/post-later.ts';
import { addEndpoint } from '../../src/operations/webhooks/change-endpoint.ts';
import { startTaskRunner } from '../../src/background/task-runner.ts';
import { deliver } from '../../src/tasks/deliver.ts';
import { idFrom } from '../../events/ids.ts';
import { listenAnywhere } from '../support/ports.ts';

const PER_SECOND = 1_000;
const READS_PER_SECOND = 200;
const ENDPOINTS = 50;
const self = fileURLToPath(import.meta.url);
const [role, argument = ''] = process.argv.slice(2);

if (role === 'sink') await runSink();
else if (role === 'load') await runLoad(argument);
else await run(Number(role ?? 10));

async function runSink(): Promise<void> {
  let taken = 0;
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      taken += 1;
      res.writeHead(204).end();
    });
  });
  process.send?.(await listenAnywhere(server));
  process.on('message', () => process.send?.(taken));
}

async function runLoad(text: string): Promise<void> {
  const { url, seconds } = JSON.parse(text) as { url: string; seconds: number };
  const options = { url, duration: seconds, connections: 8, overallRate: READS_PER_SECOND };
  const { latency, requests, non2xx } = await autocannon(options);
  process.send?.({ p50: latency.p50, p99: latency.p99, max: latency.max, mean: requests.mean, non2xx });
  process.disconnect?.();
}

async function load(url: string, seconds: number): Promise<object> {
  const child = fork(self, ['load', JSON.stringify({ url, seconds })], { execArgv: process.execArgv });
  const [result] = await once(child, 'message');
  return result;
}

async function run(seconds: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bourse-deliveries-'));
  const sink = fork(self, ['sink'], { execArgv: process.execArgv });
  const [sinkPort] = await once(sink, 'message');
  const market = await openMarket(readConfig({ DATA_DIR: dataDir }), createLog('silent'));
  await market.seed();
  const { services } = market;
  await services.projector.start();
  const at = new Date().toISOString();
  const endpoints: { endpointId: string; accountId: string; url: string }[] = [];
  for (let i = 0; i < ENDPOINTS; i += 1) {
    const accountId = idFrom('account', at, String(i));
    const call = { at, actor: 'cli', requestId: 'bench', commandId: String(i) };
    const wanted = { url: `http://127.0.0.1:${sinkPort}/hook`, types: null, description: '' };
    const added = await addEndpoint(services, accountId, wanted, call);
    if (added.ok) endpoints.push({ ...added.endpoint, url: added.text?.url ?? '' });
  }
  await services.projector.caughtUp();
  const server = createHttpServer({
    services,
    limiter: createMemoryLimiter(60),
    publicRateLimit: 1_000_000,
    trustProxyHops: 0,
    accountBounds: { requestsPerMinute: 1_000_000, trialsPerDay: 1_000_000, bytesPerDay: 1_000_000_000 },
    addressBounds: { failedCredentials: 1_000_000, posts: 1_000_000 },
    connectionBounds: { inAll: 10_000, perAddress: 10_000 },
    log: createLog('silent'),
  });
  const url = `http://127.0.0.1:${await server.listen(0)}/v1/agents/${exampleOf('AgentPublished').agent}`;
  await load(url, 2);
  console.log('idle      ', await load(url, seconds));

  const fetcher = createFetcher({ isAllowed: () => true, protocols: ['http:'] });
  const kinds = [deliver(services, fetcher, 64)];
  const tasks = startTaskRunner({ queue: services.queue, kinds, now: Date.now, onError: console.error });
  const body = JSON.stringify({ type: 'job.completed', timestamp: at, data: { text: 'x'.repeat(900) } });
  let sent = 0;
  const began = performance.now();
  const feeding = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1_000) * PER_SECOND) - sent;
    for (let i = 0; i < due; i += 1) {
      const { endpointId, accountId, url: to } = endpoints[sent % ENDPOINTS]!;
      const event = { id: `evt_${sent}`, at: new Date().toISOString() } as Parameters<typeof postLater>[1];
      const message = { accountId, endpointId, url: to, type: 'job.completed', jobId: null, body } as const;
      void postLater(services, event, [message]);
      sent += 1;
    }
  }, 10);
  const busy = await load(url, seconds);
  clearInterval(feeding);
  const { elu } = { elu: performance.eventLoopUtilization().utilization };
  const elapsed = (performance.now() - began) / 1_000;
  sink.send('count');
  const [taken] = await once(sink, 'message');
  console.log('delivering', busy);
  console.log({
    sent,
    taken,
    perSecond: Math.round(taken / elapsed),
    elu,
  });
  await tasks.stop();
  await server.stop();
  await market.close();
  await fetcher.close();
  sink.disconnect();
  sink.kill();
  rmSync(dataDir, { recursive: true });
}
