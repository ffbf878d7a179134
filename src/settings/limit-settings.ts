/** The settings that bound what clients and accounts may do. */
import { setting, wholeNumber } from './setting.ts';

export const limitSettings = {
  publicRateLimit: setting({
    name: 'PUBLIC_RATE_LIMIT',
    ...oneOrMore('requests'),
    default: '120',
    description:
      'How many public reads, MCP messages and checkout forms one client address may send in a minute. An IPv6 client counts by its /64.',
  }),
  failedCredentialLimit: setting({
    name: 'FAILED_CREDENTIAL_LIMIT',
    ...oneOrMore('requests'),
    default: '30',
    description:
      'How many keys, tokens and signed addresses that are not valid one client address may send in a minute before it is told to wait. Valid ones from there still work.',
  }),
  recordRateLimit: setting({
    name: 'RECORD_RATE_LIMIT',
    ...oneOrMore('requests'),
    default: '6000',
    description:
      'How many RECORD_CREATED posts one client address may send in a minute, for all jobs together.',
  }),
  accountRateLimit: setting({
    name: 'ACCOUNT_RATE_LIMIT',
    ...oneOrMore('requests'),
    default: '120000',
    description:
      'How many requests one account may send in a minute with all its keys together. Each process counts for itself. Public reads with a key count here and not by their address.',
  }),
  accountDailyTrials: setting({
    name: 'ACCOUNT_DAILY_TRIALS',
    ...oneOrMore('trials'),
    default: '200000',
    description:
      'How many trials one account may ask for in a day, denied and repeated ones too. Each process counts for itself. As drafts end after a day, it bounds the open ones too.',
  }),
  accountDailyMib: setting({
    name: 'ACCOUNT_DAILY_MIB',
    ...oneOrMore('MiB'),
    default: '512',
    description:
      'How much one account may send in a day in the bodies of its requests, files left out. A command counts as 1 KiB at least. Each process counts for itself.',
  }),
  maxWebhookEndpoints: setting({
    name: 'MAX_WEBHOOK_ENDPOINTS',
    ...wholeNumber(1, 1_000),
    default: '20',
    description: 'How many webhook endpoints an account may have.',
  }),
  maxListings: setting({
    name: 'MAX_LISTINGS',
    ...wholeNumber(1, 10_000),
    default: '1000',
    description:
      'How many agents and bundles an agency may list by its own keys. What operators list for it counts too, and is not limited.',
  }),
  dailyProfileChanges: setting({
    name: 'DAILY_PROFILE_CHANGES',
    ...wholeNumber(1, 100_000),
    default: '50',
    description:
      'How many times in a day an agency may change its profile by its own keys: all its listings follow each change.',
  }),
  dailyBundleVersions: setting({
    name: 'DAILY_BUNDLE_VERSIONS',
    ...wholeNumber(1, 100_000),
    default: '20',
    description:
      'How many versions of one bundle an agency may publish in a day by its own keys: each stays known for ever. What operators publish counts too, and is not limited.',
  }),
  maxWaitingRequests: setting({
    name: 'MAX_WAITING_REQUESTS',
    ...wholeNumber(1, 2_000),
    default: '100',
    description:
      'How many requests of one account may wait for a job (`wait`) at once, of 2,000 in all. Each process counts for itself.',
  }),
  maxDeliveries: setting({
    name: 'MAX_DELIVERIES',
    ...wholeNumber(1, 256),
    default: '64',
    description:
      'How many notifications of one account may be on their way at once, of 256 in all; a quarter of that while more than half of all are.',
  }),
  maxConnections: setting({
    name: 'MAX_CONNECTIONS',
    ...oneOrMore('connections', 1_000_000),
    default: '10000',
    description: 'How many connections there may be at once; one more is closed at once.',
  }),
  maxConnectionsPerAddress: setting({
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    ...oneOrMore('connections', 1_000_000),
    default: '512',
    description:
      'How many of them one client address may hold. Not looked at behind proxies (TRUST_PROXY_HOPS), whose connections they all are.',
  }),
} as const;

function oneOrMore(what: string, max = 1_000_000_000) {
  return wholeNumber(1, max, `a whole number of ${what}, 1 or more`);
}
