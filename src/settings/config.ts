/** The settings of one process, read from the environment at the start and checked there. */
import { isLoopbackUrl } from './loopback.ts';
import type { Role } from './roles.ts';
import type { OptionalSetting, Setting } from './setting.ts';
import { type Checkout, type LogLevel, settings } from './settings.ts';

/** Where files are kept, if not in the data folder. */
export interface ArtifactsBucket {
  readonly bucket: string;
  readonly region: string;
  /** Undefined: Amazon's own. */
  readonly endpoint: string | undefined;
}

/** A server that several processes, or several installations, share. */
export interface SharedEngine {
  readonly url: string;
  /** What everything of this installation is named with. */
  readonly prefix: string;
}

/** The settings of one process. */
export interface Config {
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
  readonly role: Role;
  readonly dataDir: string;
  /** Each undefined: the embedded engine in the data folder. */
  readonly eventStore: SharedEngine | undefined;
  readonly mongoUrl: string | undefined;
  readonly redis: SharedEngine | undefined;
  /** Undefined: the model catalogue is not synced. */
  readonly modelRouterUrl: string | undefined;
  readonly baseUrl: string;
  /** Undefined: nobody has said, and strangers are invited. No process serves so ({@link assertServable}). */
  readonly checkout: Checkout | undefined;
  /** Undefined: the one that is kept in the data folder. */
  readonly signingSecret: string | undefined;
  /** The one that it has replaced. */
  readonly signingSecretBefore: string | undefined;
  /** Undefined: strangers' view of `/readyz` is everybody's, but for this machine's where the market is there alone. */
  readonly metricsToken: string | undefined;
  readonly publicRateLimit: number;
  readonly failedCredentialLimit: number;
  readonly recordRateLimit: number;
  readonly accountRateLimit: number;
  readonly accountDailyTrials: number;
  readonly accountDailyMib: number;
  readonly maxWebhookEndpoints: number;
  readonly maxListings: number;
  readonly dailyProfileChanges: number;
  readonly dailyBundleVersions: number;
  readonly maxWaitingRequests: number;
  readonly maxDeliveries: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly orderVisibleDays: number;
  readonly trustProxyHops: number;
  readonly keyPrefix: string;
  readonly jsonLdNamespace: string;
  readonly securityContact: string;
  /** Undefined: files are kept in the data folder. */
  readonly artifactsBucket: ArtifactsBucket | undefined;
  readonly logLevel: LogLevel;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings as the environment has them. An empty variable counts as absent.
 * @param typed what was typed on the command line, under the names of the environment: it comes first
 * @throws {WrongSetting} the first one that is wrong
 */
export function readConfig(environment: Environment = process.env, typed: Environment = {}): Config {
  const env = { ...environment, ...typed };
  const port = read(settings.port, env);
  const baseUrl = readOptional(settings.baseUrl, env) ?? localAddress(port);
  const role = read(settings.role, env);
  const eventStore = readEngine(settings.eventStoreUrl, settings.eventStorePrefix, env);
  const signingSecret = readOptional(settings.signingSecret, env);
  if (role !== 'all' && eventStore !== undefined && signingSecret === undefined)
    throw new WrongSetting(
      `SIGNING_SECRET must be set for ROLE=${role} with EVENTSTORE_URL: all processes sign alike`,
    );
  return {
    port,
    host: read(settings.host, env),
    role,
    dataDir: read(settings.dataDir, env),
    eventStore,
    mongoUrl: readOptional(settings.mongoUrl, env),
    redis: readEngine(settings.redisUrl, settings.redisPrefix, env),
    modelRouterUrl: readOptional(settings.modelRouterUrl, env),
    baseUrl,
    checkout: readCheckout(baseUrl, env),
    signingSecret,
    signingSecretBefore: readOptional(settings.signingSecretBefore, env),
    metricsToken: readOptional(settings.metricsToken, env),
    publicRateLimit: read(settings.publicRateLimit, env),
    failedCredentialLimit: read(settings.failedCredentialLimit, env),
    recordRateLimit: read(settings.recordRateLimit, env),
    accountRateLimit: read(settings.accountRateLimit, env),
    accountDailyTrials: read(settings.accountDailyTrials, env),
    accountDailyMib: read(settings.accountDailyMib, env),
    maxWebhookEndpoints: read(settings.maxWebhookEndpoints, env),
    maxListings: read(settings.maxListings, env),
    dailyProfileChanges: read(settings.dailyProfileChanges, env),
    dailyBundleVersions: read(settings.dailyBundleVersions, env),
    maxWaitingRequests: read(settings.maxWaitingRequests, env),
    maxDeliveries: read(settings.maxDeliveries, env),
    maxConnections: read(settings.maxConnections, env),
    maxConnectionsPerAddress: read(settings.maxConnectionsPerAddress, env),
    orderVisibleDays: read(settings.orderVisibleDays, env),
    trustProxyHops: read(settings.trustProxyHops, env),
    keyPrefix: read(settings.keyPrefix, env),
    jsonLdNamespace: read(settings.jsonLdNamespace, env),
    securityContact: readOptional(settings.securityContact, env) ?? baseUrl,
    artifactsBucket: readArtifactsBucket(env),
    logLevel: read(settings.logLevel, env),
  };
}

/** The test checkout pays for everybody: it is there only where nobody comes from elsewhere. */
function readCheckout(baseUrl: string, env: Environment): Checkout | undefined {
  const checkout = readOptional(settings.checkout, env);
  if (isLoopbackUrl(baseUrl)) return checkout ?? 'test';
  if (checkout !== 'test') return checkout;
  throw new WrongSetting(
    `CHECKOUT is test, and BASE_URL is ${baseUrl}: the test checkout is only for a market at an address of this machine`,
  );
}

/** @throws {WrongSetting} strangers would be offered a way to pay that nobody has chosen */
export function assertServable({ baseUrl, checkout }: Config): void {
  if (checkout !== undefined) return;
  throw new WrongSetting(
    `CHECKOUT is not set, and BASE_URL is ${baseUrl}: the test checkout is only for a market at an address of this machine, and there is no other yet; set CHECKOUT=none to serve a market where nobody can pay`,
  );
}

/** Whether there may be demonstration data, whose key is printed: only where nobody comes from elsewhere. */
export function isForDemonstration({ checkout }: Pick<Config, 'checkout'>): boolean {
  return checkout === 'test';
}

/** The API key of whoever runs a client of ours; undefined where there is none. */
export function apiKeyInEnvironment(environment: Environment = process.env): string | undefined {
  return environment['BOURSE_API_KEY'] || undefined;
}

/** The log at this address, named as the settings name it. @throws {WrongSetting} */
export function eventStoreAt(url: string, env: Environment = process.env): SharedEngine {
  return { url: parse(settings.eventStoreUrl, url), prefix: read(settings.eventStorePrefix, env) };
}

function readEngine(
  urlSetting: OptionalSetting<string>,
  prefixSetting: Setting<string>,
  env: Environment,
): SharedEngine | undefined {
  const url = readOptional(urlSetting, env);
  const prefix = read(prefixSetting, env);
  return url === undefined ? undefined : { url, prefix };
}

function readArtifactsBucket(env: Environment): ArtifactsBucket | undefined {
  const bucket = readOptional(settings.artifactsS3Bucket, env);
  const region = read(settings.artifactsS3Region, env);
  const endpoint = readOptional(settings.artifactsS3Endpoint, env);
  if (bucket !== undefined) return { bucket, region, endpoint };
  if (endpoint === undefined) return undefined;
  throw new WrongSetting('ARTIFACTS_S3_ENDPOINT is set without ARTIFACTS_S3_BUCKET');
}

/** The same settings with the port that was found for a port of 0. */
export function onPort(config: Config, port: number): Config {
  return {
    ...config,
    port,
    baseUrl: config.baseUrl === localAddress(config.port) ? localAddress(port) : config.baseUrl,
    securityContact:
      config.securityContact === localAddress(config.port) ? localAddress(port) : config.securityContact,
  };
}

function localAddress(port: number): string {
  return `http://localhost:${port}`;
}

/** Its message is one line that names the setting, its value and what would be right. */
export class WrongSetting extends Error {
  override readonly name = 'WrongSetting';
}

function read<Value>(wanted: Setting<Value>, env: Environment): Value {
  return parse(wanted, env[wanted.name] || wanted.default);
}

function readOptional<Value>(wanted: OptionalSetting<Value>, env: Environment): Value | undefined {
  const given = env[wanted.name];
  return given ? parse(wanted, given) : undefined;
}

function parse<Value>(wanted: Setting<Value> | OptionalSetting<Value>, given: string): Value {
  const parsed = wanted.schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const shown = wanted.secret ? `${given.length} characters long` : JSON.stringify(given);
  throw new WrongSetting(`${wanted.name} is ${shown}; it must be ${wanted.expects}`);
}

/** Whether npx stands between us and whoever started us, which `npm exec` tells its children. */
export function isRunByNpx(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return env['npm_command'] === 'exec';
}
