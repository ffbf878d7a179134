/** One process from start to stop: open the app, seed an empty market, listen, say where, and leave in good order. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  assertServable,
  type Config,
  describeNoDemonstration,
  isForDemonstration,
  onPort,
} from '../settings/config.ts';
import { createHttpServer, type HttpParts, type HttpServer } from '../serving/server.ts';
import { logFailure } from '../logging/failures.ts';
import { createMonitorCheck, tellsThisMachine } from '../transport/monitor.ts';
import { createLog, type Log } from '../logging/log.ts';
import { checkKeyStore } from '../operations/monitoring/check-key-store.ts';
import { isServing } from '../settings/roles.ts';
import { type DemoFilling, describeSeeding, OVERTAKEN } from '../seeding/seed-demo.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { warmUp } from './warm-up.ts';
import { aborted } from '../timing/aborted.ts';

/** What the composition root makes of the settings. */
export interface App extends Pick<HttpParts, 'services' | 'limiter'> {
  /** Where the log of events is, for people to see. */
  readonly logPlace: string;
  /** Fills an empty market, or goes on with it: with all but the key of its buyer, for whom it must listen first. */
  readonly fill: (signal: AbortSignal) => Promise<DemoFilling>;
  /** Starts what this role does beside requests. */
  readonly start: () => Promise<void>;
  /** Finishes what runs beside requests and closes the engines. */
  readonly close: () => Promise<void>;
}

export type OpenApp = (config: Config, log: Log) => Promise<App>;

export interface Running {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export interface ServeOptions {
  /** Whether to fill an empty market first. */
  readonly seed: boolean;
  /** Takes lines for the person at the terminal. */
  readonly print: (line: string) => void;
  /** Aborted when it is to stop, also while it only begins. */
  readonly signal: AbortSignal;
}

/** A balancer that keeps its connections busy has had an answer on each by then. */
const FAREWELL_MS = 1_000;
const NOT_FILLED: DemoFilling = { kind: 'not_empty' };

/** Null when it was told to stop before it had begun: what was in flight is finished and everything closed. */
export async function serve(
  wanted: Config,
  openApp: OpenApp,
  options: ServeOptions,
): Promise<Running | null> {
  assertServable(wanted);
  const held = await holdPort(wanted);
  try {
    return await serveOn(held, onPort(wanted, held.port), openApp, options);
  } finally {
    held.release();
  }
}

async function serveOn(
  held: HeldPort,
  config: Config,
  openApp: OpenApp,
  { signal, print, seed: isWanted }: ServeOptions,
): Promise<Running | null> {
  const log = createLog(config.logLevel);
  const app = await openApp(config, log);
  let server: HttpServer | null = null;
  try {
    const isFilled = isWanted && config.role === 'all' && isForDemonstration(config);
    const filling = isFilled ? await app.fill(signal) : NOT_FILLED;
    if (isWanted && !isForDemonstration(config) && (await app.services.events.head()) === null)
      print(`Nothing was added: ${describeNoDemonstration(config)}`);
    if (!signal.aborted) await app.start();
    // The first who asks is to find what the market was filled with.
    if (filling.kind === 'filled') await Promise.race([app.services.projector.caughtUp(), aborted(signal)]);
    if (signal.aborted) {
      if (filling.kind !== 'not_empty')
        print('Stopped while it was being seeded: the next start goes on with it.');
      await app.close();
      return null;
    }
    const listening = createHttpServer(partsOf(app, config, log));
    held.release();
    const port = await listening.listen(config.port, config.host);
    server = listening;
    const welcome = await welcomeTo(filling, app, config, { signal, print });
    await noteKeyStore(app.services, print);
    print(
      isServing(config.role)
        ? `Bourse answers at ${config.baseUrl}`
        : `Bourse's ${config.role} tells how it is at http://localhost:${config.port}/readyz`,
    );
    if (!isServing(config.role) && !tellsThisMachine(config))
      print('More than its status it tells with Authorization: Bearer and its METRICS_TOKEN alone');
    print(`Its facts are in ${app.logPlace}`);
    for (const line of welcome) print(line);
    const warmingUp = new AbortController();
    if (isServing(config.role)) {
      warmUp(app.services, warmingUp.signal).catch((error: unknown) => {
        if (!warmingUp.signal.aborted) logFailure(log, error, {}, 'the warm-up was not finished');
      });
    }
    return {
      port,
      async stop() {
        warmingUp.abort();
        await listening.stop();
        await app.close();
        log.flush();
      },
    };
  } catch (error) {
    await server?.stop();
    await app.close();
    throw error;
  }
}

function partsOf(app: App, config: Config, log: Log): HttpParts {
  return {
    services: app.services,
    limiter: app.limiter,
    isServing: isServing(config.role),
    farewellMs: FAREWELL_MS,
    publicRateLimit: config.publicRateLimit,
    trustProxyHops: config.trustProxyHops,
    accountBounds: {
      requestsPerMinute: config.accountRateLimit,
      trialsPerDay: config.accountDailyTrials,
      bytesPerDay: config.accountDailyMib * 1_024 * 1_024,
    },
    addressBounds: { failedCredentials: config.failedCredentialLimit, posts: config.recordRateLimit },
    connectionBounds: {
      inAll: config.maxConnections,
      perAddress: config.trustProxyHops === 0 ? config.maxConnectionsPerAddress : Infinity,
    },
    isMonitor: createMonitorCheck(config),
    log,
  };
}

/** Makes the buyer of a market that was just filled, and answers with lines that are true once the views have the key. */
async function welcomeTo(
  filling: DemoFilling,
  { services }: App,
  { baseUrl }: Config,
  { signal, print }: Pick<ServeOptions, 'signal' | 'print'>,
): Promise<readonly string[]> {
  if (filling.kind !== 'filled') return [];
  const key = await filling.makeKey((lines) => lines.forEach((line) => print(line)));
  if (key.kind === 'overtaken') return [OVERTAKEN];
  await Promise.race([services.projector.caughtUp(), aborted(signal)]);
  return describeSeeding(key, baseUrl);
}

/** Where it cannot be told yet, `/readyz` tells later. */
async function noteKeyStore(services: App['services'], print: ServeOptions['print']): Promise<void> {
  const foreign = await checkKeyStore(services).catch(() => null);
  if (foreign === null) return;
  services.noteEngine('account-keys', foreign);
  print(`Take care: ${foreign.message}`);
}

interface HeldPort {
  readonly port: number;
  /** To be called in the same turn as the listening for which it was held. */
  readonly release: () => void;
}

/**
 * The port itself if it can be had, any free one for 0. Asked before anything is made: links are made from the port,
 * and a market that was seeded for nothing would have shown its demonstration key to nobody. One of the system's choice
 * is held until it is listened on: any connection of this machine could be given it meanwhile. Nobody knows it yet.
 * @throws {Error} somebody else has the port, or it may not be used
 */
async function holdPort({ port, host }: Config): Promise<HeldPort> {
  const holder = createServer((socket) => socket.destroy())
    .listen(port, host)
    .unref();
  await once(holder, 'listening');
  const address = holder.address();
  const release = (): void => void holder.close();
  if (port !== 0) release();
  return { port: address !== null && typeof address === 'object' ? address.port : 0, release };
}

/** Serves until SIGINT or SIGTERM, then finishes what is in flight. A second signal does not wait. */
export async function runUntilStopped(
  config: Config,
  openApp: OpenApp,
  options: Omit<ServeOptions, 'signal'>,
): Promise<void> {
  const { signal } = listenForStop();
  const running = await serve(config, openApp, { ...options, signal });
  if (running === null) return;
  await aborted(signal);
  await running.stop();
}
