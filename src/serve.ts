/** One process from start to stop: open the app, seed an empty market, listen, say where, and leave in good order. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, onPort } from './config.ts';
import { createHttpServer, type HttpParts } from './http/server.ts';
import { createLog, type Log } from './log.ts';
import { isServing } from './roles.ts';

/** What the composition root makes of the settings. */
export interface App extends Pick<HttpParts, 'services' | 'authenticate' | 'limiter' | 'pages'> {
  /** Where the log of events is, for people to see. */
  readonly logPlace: string;
  /** Fills an empty market; lines to print once (the demo key, a curl that works as printed), none if it was not empty. */
  readonly seed: () => Promise<readonly string[]>;
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
}

/** A balancer that keeps its connections busy has had an answer on each by then. */
const FAREWELL_MS = 1_000;

export async function serve(wanted: Config, openApp: OpenApp, options: ServeOptions): Promise<Running> {
  const config = onPort(wanted, await freePort(wanted.port));
  const log = createLog(config.logLevel);
  const app = await openApp(config, log);
  try {
    const seeded = options.seed && config.role === 'all' ? await app.seed() : [];
    await app.start();
    // What is printed must work as printed, so what was just seeded has to be in the views.
    if (seeded.length > 0) await app.services.projector.caughtUp();
    const server = createHttpServer({
      services: app.services,
      authenticate: app.authenticate,
      limiter: app.limiter,
      ...(app.pages && { pages: app.pages }),
      isServing: isServing(config.role),
      farewellMs: FAREWELL_MS,
      publicRateLimit: config.publicRateLimit,
      trustProxyHops: config.trustProxyHops,
      log,
    });
    const port = await server.listen(config.port);
    options.print(isServing(config.role) ? answersAt(config) : tellsItsStateAt(config));
    options.print(`Its facts are in ${app.logPlace}`);
    for (const line of seeded) options.print(line);
    if (isServing(config.role)) makeDigest(app, log);
    return {
      port,
      async stop() {
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

function answersAt({ baseUrl }: Config): string {
  return `Bourse answers at ${baseUrl}`;
}

function tellsItsStateAt({ role, port }: Config): string {
  return `Bourse's ${role} tells how it is at http://localhost:${port}/readyz`;
}

/** The digest is there before its first reader, as soon as the views are current; no start waits for it. */
function makeDigest({ services }: App, log: Log): void {
  const { projector, digest } = services;
  projector
    .caughtUp()
    .then(() => digest.renew())
    .catch((error: unknown) => log.error({ err: error }, 'the digest was not made'));
}

/**
 * The port itself if it can be had, any free one for 0. Asked before anything is made: links are made from the port,
 * and a market that was seeded for nothing would have shown its demonstration key to nobody.
 * @throws {Error} somebody else has the port, or it may not be used
 */
async function freePort(wanted: number): Promise<number> {
  const server = createServer().listen(wanted);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** Serves until SIGINT or SIGTERM, then finishes what is in flight. A second signal does not wait. */
export async function runUntilStopped(
  config: Config,
  openApp: OpenApp,
  options: ServeOptions,
): Promise<void> {
  const running = await serve(config, openApp, options);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await running.stop();
}
