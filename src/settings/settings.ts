/**
 * Every setting of the service as one table. It is the only place that knows the environment's names; the text of
 * `bourse serve --help` and docs/settings.md are made from it.
 */
import { z } from 'zod';
import { limitSettings } from './limit-settings.ts';
import { ROLES } from './roles.ts';
import { optional, setting, wholeNumber } from './setting.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** Where jobs are paid. */
const CHECKOUTS = ['test', 'none'] as const;
export type Checkout = (typeof CHECKOUTS)[number];

const absoluteHttpUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/[?#]/.test(url))
  // Links in answers begin with such an address, and logs name it: a user name and a password would be told to others.
  .refine((url) => !/^[^/\\]*[/\\]*[^/\\]*@/.test(url))
  .transform((url) => url.replace(/\/+$/, ''));

/** The address of an engine; its password is never printed. */
function engineUrl(scheme: RegExp): z.ZodType<string, string> {
  return z
    .string()
    .regex(scheme)
    .refine((url) => /^[^:]+:\/\/[^\s]+$/.test(url));
}

export const settings = {
  port: setting({
    name: 'PORT',
    ...wholeNumber(0, 65_535, 'a port number from 0 to 65535'),
    default: '8080',
    description: 'The TCP port to listen on; 0 takes any free one.',
  }),
  host: setting({
    name: 'HOST',
    schema: z.union([z.ipv4(), z.ipv6(), z.literal('localhost').transform(() => '127.0.0.1')]),
    default: '127.0.0.1',
    expects: 'an address of this machine, such as 127.0.0.1, 0.0.0.0 (all of IPv4) or :: (all)',
    description:
      'The address to listen on: by default this machine alone can call. The image sets it to 0.0.0.0.',
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    schema: z.string().min(1),
    default: './data',
    expects: 'the path of a folder',
    description:
      'Where the event log, the views and the signing secret are kept, as far as no other engine keeps them. Made at the first start.',
  }),
  role: setting({
    name: 'ROLE',
    schema: z.enum(ROLES),
    default: 'all',
    expects: `one of ${ROLES.join(', ')}`,
    description:
      'What this process does: answer requests (api), keep the read models (projector), react to facts and send notifications (worker), or all of it. `bourse serve --role` sets it too.',
  }),
  eventStoreUrl: optional({
    name: 'EVENTSTORE_URL',
    schema: engineUrl(/^(esdb|kurrentdb)(\+discover)?:\/\//),
    expects: 'an address such as esdb://bourse:password@db.bourse.example:2113?tls=true',
    description:
      'Keeps the log of events in EventStoreDB or KurrentDB instead of DATA_DIR/bourse.db. With a ROLE other than all it wants a SIGNING_SECRET.',
    secret: true,
  }),
  eventStorePrefix: setting({
    name: 'EVENTSTORE_PREFIX',
    schema: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,62}\.$/),
    default: 'bourse.',
    expects: '2 to 64 letters, digits and underscores, a letter first, and one dot at the end',
    description:
      'What the names of our streams begin with, so that several installations can share one database.',
  }),
  mongoUrl: optional({
    name: 'MONGODB_URL',
    schema: engineUrl(/^mongodb(\+srv)?:\/\//),
    expects: 'an address such as mongodb://db.bourse.example:27017/bourse?replicaSet=rs0',
    description:
      'Keeps the read models in this database of MongoDB (by default `bourse`) instead of DATA_DIR/views.db.',
    secret: true,
  }),
  redisUrl: optional({
    name: 'REDIS_URL',
    schema: engineUrl(/^rediss?:\/\//),
    expects: 'an address such as rediss://:password@redis.bourse.example:6379/0',
    description:
      'Keeps rate limits, what is metered, the queue of tasks, the record of deliveries and leases in Redis instead of memory, DATA_DIR/meter.db and DATA_DIR/queue.db.',
    secret: true,
  }),
  redisPrefix: setting({
    name: 'REDIS_PREFIX',
    schema: z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,62}:$/),
    default: 'bourse:',
    expects: '2 to 64 letters, digits, underscores, dots and hyphens, a letter first and a colon last',
    description: 'What our keys in Redis begin with, so that several installations can share one server.',
  }),
  modelRouterUrl: optional({
    name: 'MODEL_ROUTER_URL',
    schema: z.url({ protocol: /^https$/ }).refine((url) => !/[@#]/.test(url)),
    expects: 'an https address that answers in the form of OpenRouter’s /api/v1/models',
    description:
      'The upstream router of the model catalogue, asked once an hour by a process that does tasks. Not set: the catalogue is imported by hand alone.',
  }),
  baseUrl: optional({
    name: 'BASE_URL',
    schema: absoluteHttpUrl,
    expects: 'an http or https address without query, user name and password, such as https://bourse.example',
    description:
      'The public address of the service: links in answers begin with it. By default http://localhost:PORT.',
  }),
  checkout: optional({
    name: 'CHECKOUT',
    schema: z.enum(CHECKOUTS),
    expects: `one of ${CHECKOUTS.join(', ')}`,
    description:
      'Where jobs are paid: the test checkout, where no money moves, or nowhere. By default `test` where BASE_URL is of this machine, and only there can it be `test`. Elsewhere it must be set: nobody is to offer test payments to strangers without knowing it.',
  }),
  signingSecret: optional({
    name: 'SIGNING_SECRET',
    schema: z.string().min(32),
    expects: 'at least 32 characters',
    description:
      'Signs checkout, artifact and webhook addresses. By default a random one is made at the first start and kept in DATA_DIR/signing-secret.',
    secret: true,
  }),
  signingSecretBefore: optional({
    name: 'SIGNING_SECRET_BEFORE',
    schema: z.string().min(32),
    expects: 'at least 32 characters',
    description:
      'The signing secret that SIGNING_SECRET has replaced: addresses signed with it work until their end, messages are signed with both, and records signed with either are taken.',
    secret: true,
  }),
  metricsToken: optional({
    name: 'METRICS_TOKEN',
    schema: z.string().regex(/^[\x21-\x7e]{16,}$/),
    expects: 'at least 16 visible ASCII characters',
    description:
      'Opens what `/readyz` says of engines and views, as a bearer token. Without it strangers are told the status alone. Where BASE_URL is of this machine, whoever calls from it needs none.',
    secret: true,
  }),
  ...limitSettings,
  orderVisibleDays: setting({
    name: 'ORDER_VISIBLE_DAYS',
    ...wholeNumber(0, 3_650, 'a whole number of days from 0 to 3650'),
    default: '30',
    description:
      'For how many days after the end of a job its agency can still read the brief and inputs. Nobody reads those of a job that was never paid but its owner.',
  }),
  trustProxyHops: setting({
    name: 'TRUST_PROXY_HOPS',
    ...wholeNumber(0, 16),
    default: '0',
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
    expects: 'an address such as mailto:security@bourse.example or https://bourse.example/security',
    description:
      'Where to report a weakness, told in /.well-known/security.txt. By default the address of the service.',
  }),
  artifactsS3Bucket: optional({
    name: 'ARTIFACTS_S3_BUCKET',
    schema: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
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
    schema: absoluteHttpUrl,
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
      'The least severe log lines that are written. Requests are logged at info, what an engine refuses at warn, faults at error.',
  }),
} as const;
