/** The settings of one process, read from the environment at the start and checked there. */
import { isLoopbackUrl } from './loopback.ts';
import type { OptionalSetting, Setting, ValueOf } from './setting.ts';
import { type Checkout, settings } from './settings.ts';

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

type Values = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> };

/** The parts of what stands in the configuration as a whole. */
type Parts =
  | `${'eventStore' | 'redis'}${'Url' | 'Prefix'}`
  | `artifactsS3${'Bucket' | 'Region' | 'Endpoint'}`;

/** The settings of one process: undefined is what is not set. */
export interface Config extends Omit<Values, Parts> {
  /** Each undefined: the embedded engine in the data folder. */
  readonly eventStore: SharedEngine | undefined;
  readonly redis: SharedEngine | undefined;
  /** Undefined: files are kept in the data folder. */
  readonly artifactsBucket: ArtifactsBucket | undefined;
  readonly baseUrl: string;
  /** Undefined: nobody has said, and strangers are invited. No process serves so ({@link assertServable}). */
  readonly checkout: Checkout | undefined;
  readonly securityContact: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings as the environment has them. An empty variable counts as absent.
 * @param typed what was typed on the command line, under the names of the environment: it comes first
 * @throws {WrongSetting} the first one that is wrong
 */
export function readConfig(environment: Environment = process.env, typed: Environment = {}): Config {
  const { eventStoreUrl, eventStorePrefix, redisUrl, redisPrefix, ...others } = valuesIn({
    ...environment,
    ...typed,
  });
  const { artifactsS3Bucket, artifactsS3Region, artifactsS3Endpoint, ...values } = others;
  const { role, port, signingSecret, baseUrl = localAddress(port), securityContact = baseUrl } = values;
  if (role !== 'all' && eventStoreUrl !== undefined && signingSecret === undefined)
    throw new WrongSetting(
      `SIGNING_SECRET must be set for ROLE=${role} with EVENTSTORE_URL: all processes sign alike`,
    );
  return {
    ...values,
    eventStore: sharedEngine(eventStoreUrl, eventStorePrefix),
    redis: sharedEngine(redisUrl, redisPrefix),
    artifactsBucket: bucketAt(artifactsS3Bucket, artifactsS3Region, artifactsS3Endpoint),
    baseUrl,
    checkout: checkoutAt(baseUrl, values.checkout),
    securityContact,
  };
}

/** The test checkout pays for everybody: it is there only where nobody comes from elsewhere. */
function checkoutAt(baseUrl: string, checkout: Checkout | undefined): Checkout | undefined {
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

/** Why there is none, where there may be none. */
export function describeNoDemonstration({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `demonstration data, whose key is printed, is only for a market at an address of this machine with CHECKOUT=test; BASE_URL is ${baseUrl}`;
}

/** The API key of whoever runs a client of ours; undefined where there is none. */
export function apiKeyInEnvironment(environment: Environment = process.env): string | undefined {
  return environment['BOURSE_API_KEY'] || undefined;
}

/** The log at this address, named as the settings name it. @throws {WrongSetting} */
export function eventStoreAt(url: string, env: Environment = process.env): SharedEngine {
  return { url: parse(settings.eventStoreUrl, url), prefix: valuesIn(env).eventStorePrefix };
}

function sharedEngine(url: string | undefined, prefix: string): SharedEngine | undefined {
  return url === undefined ? undefined : { url, prefix };
}

function bucketAt(
  bucket: string | undefined,
  region: string,
  endpoint: string | undefined,
): ArtifactsBucket | undefined {
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

function valuesIn(env: Environment): Values {
  const read = Object.entries(settings).map(([name, wanted]) => {
    const given = env[wanted.name] || wanted.default;
    return [name, given === null ? undefined : parse<unknown>(wanted, given)];
  });
  // Each value is what the schema of its setting makes of it.
  return Object.fromEntries(read) as Values;
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
