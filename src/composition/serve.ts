/** One process from start to stop: open the app, seed an empty market, listen, say where, and leave in good order. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { assertServable, type Config, isForDemonstration, onPort } from '../settings/config.ts';
import { createHttpServer, type HttpParts } from '../serving/server.ts';
import { logFailure } from '../logging/failures.ts';
import { createMonitorCheck, tellsThisMachine } from '../transport/monitor.ts';
import { createLog, type Log } from '../logging/log.ts';
import { checkKeyStore } from '../operations/monitoring/check-key-store.ts';
import { isServing } from '../settings/roles.ts';
import { type DemoSeeding, describeSeeding, OVERTAKEN, type SeedOptions } from '../seeding/seed-demo.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { warmUp } from './warm-up.ts';
import { aborted } from '../timing/aborted.ts';

/** What the composition root makes of the settings. */
export interface App extends Pick<HttpParts, 'services' | 'limiter' | 'pages'> {
  /** Where the log of events is, for people to see. */
  readonly logPlace: string;
  /** Fills an empty market, or goes on with it. */
  readonly seed: (options?: SeedOptions) => Promise<DemoSeeding>;
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
const NOT_SEEDED: DemoSeeding = { kind: 'not_empty' };

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
  try {
    const show = (lines: readonly string[]): void => {
      for (const line of lines) print(line);
    };
    const isSeeded = isWanted && config.role === 'all' && isForDemonstration(config);
    const seeding = isSeeded ? await app.seed({ signal, show }) : NOT_SEEDED;
    if (seeding.kind === 'interrupted')
      print('Stopped while it was being seeded: the next start goes on with it.');
    if (seeding.kind === 'overtaken') print(OVERTAKEN);
    const welcome = seeding.kind === 'seeded' ? describeSeeding(seeding, config.baseUrl) : [];
    if (!signal.aborted) await app.start();
    // What is printed must work as printed, so what was just seeded has to be in the views.
    if (seeding.kind === 'seeded') await Promise.race([app.services.projector.caughtUp(), aborted(signal)]);
    if (signal.aborted) {
      show(welcome);
      await app.close();
      return null;
    }
    const server = createHttpServer({
      services: app.services,
      limiter: app.limiter,
      ...(app.pages && { pages: app.pages }),
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
    });
    held.release();
    const port = await server.listen(config.port, config.host);
    await noteKeyStore(app.services, print);
    print(isServing(config.role) ? answersAt(config) : tellsItsStateAt(config));
    if (!isServing(config.role) && !tellsThisMachine(config))
      print('More than its status it tells with Authorization: Bearer and its METRICS_TOKEN alone');
    print(`Its facts are in ${app.logPlace}`);
    show(welcome);
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
        await server.stop();
        await app.close();
        log.flush();
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Where it cannot be told yet, `/readyz` tells later. */
async function noteKeyStore(services: App['services'], print: ServeOptions['print']): Promise<void> {
  const foreign = await checkKeyStore(services).catch(() => null);
  if (foreign === null) return;
  services.noteEngine('account-keys', foreign);
  print(`Take care: ${foreign.message}`);
}

function answersAt({ baseUrl }: Config): string {
  return `Bourse answers at ${baseUrl}`;
}

function tellsItsStateAt({ role, port }: Config): string {
  return `Bourse's ${role} tells how it is at http://localhost:${port}/readyz`;
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
