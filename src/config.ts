/**
 * Every setting of the service as one table. It is the only place that knows the environment's names; the text of
 * `bourse serve --help` and docs/settings.md are made from it.
 */
import { z } from 'zod';

interface SettingText {
  /** The environment variable. */
  readonly name: string;
  /** What would be right, to end the sentence "must be …". */
  readonly expects: string;
  readonly description: string;
  /** Whether its value must never be printed. */
  readonly secret?: true;
}

interface Setting<Value> extends SettingText {
  readonly schema: z.ZodType<Value, string>;
  /** As it would be written in the environment. */
  readonly default: string;
}

/** A setting that may be absent. */
interface OptionalSetting<Value> extends SettingText {
  readonly schema: z.ZodType<Value, string>;
  readonly default: null;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

const wholeNumber = (min: number, max: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

/** Where files are kept, if not in the data folder. */
export interface ArtifactsBucket {
  readonly bucket: string;
  readonly region: string;
  /** Undefined: Amazon's own. */
  readonly endpoint: string | undefined;
}

const absoluteHttpUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/[?#]/.test(url))
  .transform((url) => url.replace(/\/+$/, ''));

export const settings = {
  port: setting({
    name: 'PORT',
    schema: wholeNumber(0, 65_535),
    default: '8080',
    expects: 'a port number from 0 to 65535',
    description: 'The TCP port to listen on; 0 takes any free one.',
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    schema: z.string().min(1),
    default: './data',
    expects: 'the path of a folder',
    description: 'Where the event log, the views and the signing secret are kept. Made at the first start.',
  }),
  baseUrl: optional({
    name: 'BASE_URL',
    schema: absoluteHttpUrl,
    default: null,
    expects: 'an http or https address without query, such as https://bourse.example',
    description:
      'The public address of the service: links in answers begin with it. By default http://localhost:PORT.',
  }),
  signingSecret: optional({
    name: 'SIGNING_SECRET',
    schema: z.string().min(32),
    default: null,
    expects: 'at least 32 characters',
    description:
      'Signs checkout, artifact and webhook addresses. By default a random one is made at the first start and kept in DATA_DIR/signing-secret.',
    secret: true,
  }),
  publicRateLimit: setting({
    name: 'PUBLIC_RATE_LIMIT',
    schema: wholeNumber(1, 1_000_000_000),
    default: '120',
    expects: 'a whole number of requests, 1 or more',
    description:
      'How many public reads one client address may make in a minute. An IPv6 client counts by its /64.',
  }),
  trustProxyHops: setting({
    name: 'TRUST_PROXY_HOPS',
    schema: wholeNumber(0, 16),
    default: '0',
    expects: 'a whole number from 0 to 16',
    description:
      'How many reverse proxies stand before the service and add to X-Forwarded-For. With 0 that header is never believed.',
  }),
  keyPrefix: setting({
    name: 'KEY_PREFIX',
    schema: z.string().regex(/^[a-z][a-z0-9]{1,11}$/),
    default: 'brs',
    expects: '2 to 12 lower-case letters and digits, a letter first',
    description: 'What API keys begin with: <prefix>_ak_…',
  }),
  jsonLdNamespace: setting({
    name: 'JSONLD_NAMESPACE',
    schema: z.string().regex(/^[a-z][a-z0-9]{1,31}$/),
    default: 'bourse',
    expects: '2 to 32 lower-case letters and digits, a letter first',
    description:
      'The prefix of our own property names in the JSON-LD of listing pages: <namespace>:trustScore, …',
  }),
  securityContact: optional({
    name: 'SECURITY_CONTACT',
    schema: z.string().regex(/^(mailto:[^\s]+@[^\s]+|https:\/\/[^\s]+)$/),
    default: null,
    expects: 'an address such as mailto:security@bourse.example or https://bourse.example/security',
    description:
      'Where to report a weakness, told in /.well-known/security.txt. By default the address of the service.',
  }),
  artifactsS3Bucket: optional({
    name: 'ARTIFACTS_S3_BUCKET',
    schema: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    default: null,
    expects: '3 to 63 lower-case letters, digits, dots and hyphens',
    description:
      'Keeps the files of jobs in this bucket of S3, below artifacts/, instead of DATA_DIR/artifacts. The credentials are found as all AWS programs find theirs: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, shared files, or the role of the machine.',
  }),
  artifactsS3Region: setting({
    name: 'ARTIFACTS_S3_REGION',
    schema: z.string().regex(/^[a-z0-9-]{2,32}$/),
    default: 'us-east-1',
    expects: '2 to 32 lower-case letters, digits and hyphens, such as eu-central-1',
    description: 'The region of ARTIFACTS_S3_BUCKET.',
  }),
  artifactsS3Endpoint: optional({
    name: 'ARTIFACTS_S3_ENDPOINT',
    // An address with a password in it would end in logs.
    schema: absoluteHttpUrl.refine((url) => !url.includes('@')),
    default: null,
    expects: 'an http or https address without query and password, such as https://s3.bourse.example',
    description:
      'Another server than Amazon’s that speaks the protocol of S3. By default the one of the region.',
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    schema: z.enum(LOG_LEVELS),
    default: 'info',
    expects: `one of ${LOG_LEVELS.join(', ')}`,
    description:
      'The least severe log lines that are written. Requests are logged at info, failures at error.',
  }),
} as const;

/** The settings of one process. */
export interface Config {
  readonly port: number;
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Undefined: the one that is kept in the data folder. */
  readonly signingSecret: string | undefined;
  readonly publicRateLimit: number;
  readonly trustProxyHops: number;
  readonly keyPrefix: string;
  readonly jsonLdNamespace: string;
  readonly securityContact: string;
  /** Undefined: files are kept in the data folder. */
  readonly artifactsBucket: ArtifactsBucket | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings as the environment has them. An empty variable counts as absent.
 * @throws {WrongSetting} the first one that is wrong
 */
export function readConfig(env: Environment = process.env): Config {
  const port = read(settings.port, env);
  const baseUrl = readOptional(settings.baseUrl, env) ?? localAddress(port);
  return {
    port,
    dataDir: read(settings.dataDir, env),
    baseUrl,
    signingSecret: readOptional(settings.signingSecret, env),
    publicRateLimit: read(settings.publicRateLimit, env),
    trustProxyHops: read(settings.trustProxyHops, env),
    keyPrefix: read(settings.keyPrefix, env),
    jsonLdNamespace: read(settings.jsonLdNamespace, env),
    securityContact: readOptional(settings.securityContact, env) ?? baseUrl,
    artifactsBucket: readArtifactsBucket(env),
    logLevel: read(settings.logLevel, env),
  };
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

function setting<Value>(literal: Setting<Value>): Setting<Value> {
  return literal;
}

function optional<Value>(literal: OptionalSetting<Value>): OptionalSetting<Value> {
  return literal;
}
